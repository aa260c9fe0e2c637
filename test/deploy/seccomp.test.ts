/** The seccomp profile: allows Chromium's sandbox and blocks dangerous system calls. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; op: string; value: number; valueTwo: number }[];
}

const profile: { defaultAction: string; archMap: { architecture: string; subArchitectures: string[] }[]; syscalls: Rule[] } = JSON.parse(
  readFileSync(new URL("../../docker/seccomp-chromium.json", import.meta.url), "utf8"),
);
const allowed = new Set(profile.syscalls.flatMap((rule) => rule.names));

test("the seccomp profile denies unlisted calls by default, and lists each call once", () => {
  assert.equal(profile.defaultAction, "SCMP_ACT_ERRNO");
  assert.ok(profile.syscalls.every((rule) => rule.action === "SCMP_ACT_ALLOW"));
  const unconditional = profile.syscalls.filter((rule) => !rule.args).flatMap((rule) => rule.names);
  assert.equal(new Set(unconditional).size, unconditional.length);
  assert.ok(
    profile.archMap.every((entry) => entry.subArchitectures.length === 0),
    "no 32-bit system calls",
  );
});

test("the seccomp profile allows the calls that Chromium's sandbox needs", () => {
  for (const name of ["clone", "clone3", "unshare", "setns", "chroot", "seccomp", "prctl", "capset"]) assert.ok(allowed.has(name), name);
});

test("the seccomp profile denies mounting, tracing, kernel keys and other privileged calls", () => {
  const mounting = "mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick pivot_root";
  const spying = "ptrace process_vm_readv process_vm_writev pidfd_getfd perf_event_open bpf userfaultfd kcmp open_by_handle_at";
  const ruling = "keyctl add_key request_key init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff";
  const rest =
    "acct settimeofday clock_settime sethostname setdomainname syslog iopl ioperm io_uring_setup io_uring_enter quotactl mknod mknodat";
  for (const name of [mounting, spying, ruling, rest].join(" ").split(" ")) assert.ok(!allowed.has(name), name);
});

test("the seccomp profile allows unix, IP and netlink route sockets only: no raw packets, netfilter or kernel crypto", () => {
  const rules = profile.syscalls.filter((rule) => rule.names.includes("socket"));
  const kinds = rules.map((rule) => (rule.args ?? []).map(({ index, op, value, valueTwo }) => `${index} ${op} ${value} ${valueTwo}`));
  const is = (index: number, value: number) => `${index} SCMP_CMP_MASKED_EQ ${0xffffffff} ${value}`;
  assert.deepEqual(kinds, [[is(0, 1)], [is(0, 2)], [is(0, 10)], [is(0, 16), is(2, 0)]]);
});
