"""The stage's peer: the same four boundaries of the same runs, drawn with st.slider and st.plotly_chart."""

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.experiment.projection import plane
from mdcore.figures import boundary_figure
from mdcore.serving.web.warm_up import prepare_process

QUERY = "data=moons&n=300&noise=0.25&seed=0&gamma=1&methods=svm,ldm,odm,msvmav"

st.set_page_config(layout="wide")
prepare_process()
exponent = st.slider("log2 C", -10.0, 10.0, 3.0, 0.25)
experiment = Experiment.from_query(QUERY).with_param("svm", "C", 2.0**exponent)
prepared = experiment.prepare()
xs, ys = plane(prepared).window.grid(100)
for column, (key, run) in zip(st.columns(4), experiment.run().items(), strict=True):
    figure = boundary_figure(run, xs, ys, run.field(xs, ys))
    if key == "svm":
        figure.update_layout(title=f"SVM, log2 C = {exponent:g}")  # tells the benchmark that it is drawn
    column.plotly_chart(figure, key=key)
