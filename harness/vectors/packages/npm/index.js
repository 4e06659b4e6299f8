"use strict";

/** Test vectors and rule sets; index.d.ts has their types. */
module.exports = {
  ...require("./vectors.json"),
  ...{ rules: require("./rules.json").rules, usedBy: require("./rules.json").used_by },
};
