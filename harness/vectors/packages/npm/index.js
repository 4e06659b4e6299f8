"use strict";

const { rules, used_by: usedBy } = require("./rules.json");

/** Test vectors and rule sets; index.d.ts has their types. */
module.exports = { ...require("./vectors.json"), rules, usedBy };
