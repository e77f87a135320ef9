// @ts-expect-error: serving/web/modules.py serves it
export { stage as default } from "../../../modules/margin-lab.js";
