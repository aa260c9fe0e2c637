/**
 * Preloaded by first-start.ts and npm: adds this process to boot.cjs's lock, which therefore outlives a killed parent. Plain CommonJS for
 * Node 14.18 and later, like boot.cjs.
 */
"use strict";

const fs = require("node:fs");

const file = process.env.TINTYPE_INSTALL_LOCK;
const holders = file && fs.existsSync(file) ? fs.readFileSync(file, "utf8").split(" ") : [];
if (!holders.includes(String(process.ppid))) process.exit(1); // the parent has already been killed, and may have been replaced
fs.appendFileSync(file, ` ${process.pid}`);
