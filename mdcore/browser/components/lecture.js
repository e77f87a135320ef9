// @ts-expect-error: serving/web/modules.py serves it
export { lecture as default } from "../../../modules/margin-lab.js";
