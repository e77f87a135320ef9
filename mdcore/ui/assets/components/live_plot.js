// @ts-expect-error: web/modules.py serves it
export { live_plot as default } from "../../../modules/margin-lab.js";
