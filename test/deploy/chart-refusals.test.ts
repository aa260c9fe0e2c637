/** Values that the chart rejects before installing anything, and its messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsJsonSchema } from "../../src/settings/config.ts";
import { longOnly } from "../support/long-only.ts";
import { merged, render, threeValues } from "./render.ts";

const longTest = longOnly(test);

const refused: [values: object, message: RegExp][] = [
  [{ existingSecret: "" }, /existingSecret is required: the name of a Secret with AUTH_SECRET/],
  [{ image: { registry: "" } }, /image\.registry is required: where the images/],
  [{ dashboard: { url: "" } }, /dashboard\.url is required: the address that people open/],
  [{ dashboard: { url: "dashboard.example.com" } }, /\/dashboard\/url.*pattern/],
  [{ dashboard: { url: "https://dashboard.example.com/path" } }, /\/dashboard\/url.*pattern/],
  [{ replicas: 3 }, /additional properties 'replicas'/],
  [{ worker: { replica: 3 } }, /\/worker.*additional properties 'replica'/],
  [{ worker: { captures: 0 } }, /\/worker\/captures.*minimum/],
  [{ worker: { captures: "4" } }, /\/worker\/captures.*want integer/],
  [{ worker: { seccomp: "none" } }, /\/worker\/seccomp.*'localhost', 'operator', 'installed', 'unconfined'/],
  [{ worker: { autoscaling: { kind: "keda" } } }, /worker\.autoscaling\.prometheusUrl is required/],
  [{ settings: { MAX_FULL_PAGE_HIGHT: 1 } }, /\/settings.*additional properties 'MAX_FULL_PAGE_HIGHT'/],
  [{ bundled: { enabled: true } }, /bundled\.enabled and existingSecret exclude each other/],
  [
    { existingSecret: "", bundled: { enabled: true }, settings: { STORAGE_URL: "https://s3.example.com" } },
    /settings\.STORAGE_URL.*bundled/,
  ],
  [{ settings: { STORAGE_URL: "file:/images" } }, /\/settings\/STORAGE_URL.*pattern/],
  [{ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" } }, /\/settings\/OTEL_EXPORTER_OTLP_ENDPOINT.*pattern/],
  [{ settings: { HOST: "127.0.0.1" } }, /\/settings\/HOST.*'0\.0\.0\.0', '::'/],
  [{ settings: { CDP_PORT: 3000 } }, /settings\.CDP_PORT must be another port than 3000 and 9090/],
  [{ settings: { PORT: 8080 } }, /\/settings.*additional properties 'PORT'/],
  [{ api: { url: "https://user:secret@shots.example.com" } }, /\/api\/url.*pattern/],
  [{ api: { url: "https://shots.example.com:65536" } }, /\/api\/url.*pattern/],
  [{ api: { url: "ftp://shots.example.com" } }, /\/api\/url.*pattern/],
  [{ api: { resources: { limits: { memory: "1 GB" } } } }, /\/api\/resources\/limits\/memory.*pattern/],
  [{ worker: { resources: { requests: { ram: "1Gi" } } } }, /\/worker\/resources\/requests.*'ram'/],
  [{ worker: { resources: { request: {} } } }, /\/worker\/resources.*additional properties 'request'/],
  [{ worker: { autoscaling: { kind: "hpa", min: 5, max: 2 } } }, /worker\.autoscaling\.min \(5\).*max \(2\)/],
  [{ api: { autoscaling: { enabled: true, max: 1 } } }, /api\.autoscaling\.min \(2\).*max \(1\)/],
  [{ ingress: { enabled: true }, api: { url: "https://10.0.0.1" } }, /api\.url must have a host name/],
  [{ ingress: { enabled: true }, api: { url: "https://dashboard.example.com" } }, /api\.url and dashboard\.url need different hosts/],
  [{ settings: { SIGN_UP: "everyone" } }, /\/settings\/SIGN_UP.*'invite', 'open', 'closed'|\/settings\/SIGN_UP.*one of/],
  [{ settings: { SCREENSHOT_TIMEOUT: 10 } }, /\/settings\/SCREENSHOT_TIMEOUT.*minimum/],
  [{ settings: { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" } }, /\/settings\/OTEL_EXPORTER_OTLP_PROTOCOL.*'http\/protobuf'/],
  [{ settings: { OTEL_TRACES_SAMPLER_ARG: "most" } }, /\/settings\/OTEL_TRACES_SAMPLER_ARG.*pattern/],
  [{ worker: { podLabels: { "app.kubernetes.io/name": "shots" } } }, /invalid propertyName 'app\.kubernetes\.io\/name'/],
  [{ ingress: { enabled: true } }, /api\.url is required for an Ingress/],
  [{ httpRoute: { enabled: true }, api: { url: "https://a.example.com" } }, /httpRoute\.parentRefs is required/],
  [{ image: { registry: "https://registry.example.com" } }, /\/image\/registry.*pattern/],
  [{ image: { tag: "latest@sha256:0" } }, /\/image\/tag.*pattern/],
  [{ image: { name: "Team/Tintype" } }, /\/image\/name.*pattern/],
  [{ image: { digest: "0123" } }, /\/image\/digest.*pattern/],
  [{ worker: { extraVolumes: [{ name: "tmp" }] } }, /worker\.extraVolumes: the chart has a volume "tmp" already/],
  [{ worker: { extraVolumes: [{ name: "shm" }] } }, /worker\.extraVolumes: the chart has a volume "shm" already; choose another name/],
  [{ worker: { extraVolumes: [{ name: "ca" }, { name: "ca" }] } }, /worker\.extraVolumes lists the name "ca" twice/],
  [
    { worker: { extraVolumeMounts: [{ name: "ca", mountPath: "/dev//shm/" }] } },
    /worker\.extraVolumeMounts: the chart mounts a volume at \/dev\/shm already; choose another path than "\/dev\/\/shm\/"/,
  ],
  [{ api: { extraVolumeMounts: [{ name: "ca", mountPath: "/tmp/" }] } }, /api\.extraVolumeMounts: the chart mounts a volume at \/tmp/],
  [
    {
      api: {
        extraVolumeMounts: [
          { name: "ca", mountPath: "/ca" },
          { name: "more", mountPath: "/ca/" },
        ],
      },
    },
    /api\.extraVolumeMounts lists the path "\/ca" twice/,
  ],
  [{ api: { extraVolumeMounts: [{ name: "ca" }] } }, /\/api\/extraVolumeMounts\/0.*missing propert.*mountPath/],
  [{ service: { type: "Loadbalancer" } }, /\/service\/type/],
];

for (const [index, [values, message]] of refused.entries())
  (index % 4 === 0 ? test : longTest)(`the chart refuses ${JSON.stringify(values)} and names the value`, async () => {
    await assert.rejects(render(merged(threeValues, values)), (error: Error) => {
      assert.match(error.message.replaceAll("\n", " "), message);
      return true;
    });
  });

test("the chart refuses secret settings, and says where they belong", async () => {
  const secrets = Object.entries(settingsJsonSchema.properties ?? {}).filter(([, schema]) => Object(schema).secret);
  assert.ok(secrets.length > 8);
  await Promise.all(
    secrets.map(async ([name]) => {
      const values = merged(threeValues, { settings: { [name]: "a-very-secret-value-of-many-letters" } });
      await assert.rejects(render(values), (error: Error) => {
        assert.match(error.message, new RegExp(`settings\\.${name} is secret: make it a key of the Secret`));
        assert.doesNotMatch(error.message, /a-very-secret/);
        return true;
      });
    }),
  );
});
