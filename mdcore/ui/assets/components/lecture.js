// @ts-expect-error: web/modules.py serves it
export { lecture as default } from "../../../modules/margin-lab.js";
