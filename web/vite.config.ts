/** Build configuration of the dashboard. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Writes compressed copies of scripts and styles, so that the server doesn't compress at run time. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle: ({ dir = "dist" }) => {
      const folder = join(dir, "assets");
      for (const file of readdirSync(folder).filter((name) => /\.(js|css)$/.test(name))) {
        const bytes = readFileSync(join(folder, file));
        writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes));
        writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwind(), compressed()],
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "^/(v1|docs|openapi)": process.env.WEB_SERVER_URL || "http://127.0.0.1:3000" } },
});
