/**
 * Prints the npm packages that are installed in this folder as CycloneDX. `npm sbom` alone adds a timestamp and a random number, which
 * would make each build produce a different image. The Dockerfile runs it where development packages are neither installed nor in
 * package.json.
 */

const { execFileSync } = require("node:child_process");

const printed = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx"], { encoding: "utf8", maxBuffer: 2 ** 26 });
const { serialNumber: _, ...bill } = JSON.parse(printed);
delete bill.metadata.timestamp;
bill.metadata.component.name = require("../package.json").name; // npm uses the folder's name
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
