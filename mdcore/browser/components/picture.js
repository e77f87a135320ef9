// @ts-expect-error: serving/web/modules.py serves it
export { picture as default } from "../../../modules/margin-lab.js";
