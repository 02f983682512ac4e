import { defineConfig } from "vitest/config";

// All tests share one library, so files of tests run one after the other. The time limit is for
// a busy machine.
export default defineConfig({ test: { setupFiles: "./vitest.setup.js", fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 } });
