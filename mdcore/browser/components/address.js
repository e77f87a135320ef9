// @ts-expect-error: serving/web/modules.py serves it
export { address as default } from "../../../modules/margin-lab.js";
