// @ts-expect-error: serving/web/modules.py serves it
export { drawing as default } from "../../../modules/margin-lab.js";
