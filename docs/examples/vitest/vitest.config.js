import { defineConfig } from "vitest/config";

// All tests share one library, so files of tests run one after the other.
export default defineConfig({ test: { setupFiles: "./vitest.setup.js", fileParallelism: false } });
