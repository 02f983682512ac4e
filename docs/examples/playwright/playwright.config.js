import { defineConfig } from "@playwright/test";

// app.js is the application under test. CHROMIUM is a browser that is installed already;
// without it, Playwright uses its own. The time limits are for a busy machine.
export default defineConfig({
  webServer: { command: "node app.js", url: "http://127.0.0.1:4173", timeout: 300_000 },
  use: { baseURL: "http://127.0.0.1:4173", launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } },
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 120_000 },
});
