import { beforeEach } from "vitest";
import { call } from "./library.js";

// Each test begins with the files of the seed.
beforeEach(() => call("/_mediadesk/reset", { method: "POST" }));
