/** Definitions of the terms on screen, each one click away from the term. */

/** Terms that occur in the text of lessons. */
export const TERMS = {
  "margin": "How far an example is on the right side: y f(x), or, on the geometric scale, y f(x)/‖w‖, its distance to the boundary in the method's own space. Negative for an error.",
  "functional scale": "Margins y f(x) as they stand in the optimisation problem. Their unit differs from method to method.",
  "geometric scale": "Margins y f(x)/‖w‖: distances in the method's own space, the only ones that can be compared between methods, where both measure them in the same norm.",
  "smallest margin": "The margin of the example that is nearest to the boundary, or furthest on the wrong side.",
  "mean margin": "The average of the margins; of the training examples, where nothing else is said.",
  "variance": "The mean squared distance of the margins from their mean.",
  "semi-variance": "The mean of the squared shortfall below the mean: margins above the mean do not count.",
  "cumulative margin curve": "For every t, the share of examples whose margin is at most t. Its height at 0 is the share of errors.",
  "quantile": "The 10 % quantile is the margin that a tenth of the examples do not exceed.",
  "hyperplane": "All points with ⟨w, x⟩ + b = 0: a line in the plane, a plane in space.",
  "bias": "The number b in f(x) = ⟨w, x⟩ + b; it moves the boundary along its normal. Where the box “bias” is on, kernel machines have it as a constant feature.",
  "hinge loss": "max(0, 1 − y f(x)): nothing for margins from 1 on, and more the further below.",
  "support vectors": "The examples that the solution is made of; the others could be left out.",
  "kernel": "A function k(x, z) that stands for an inner product in a space of features, which is never written down.",
  "test accuracy": "The share of examples classified correctly among those that were kept away from training.",
  "bound": "A number that a theorem proves to be no smaller than an error probability. Above 1 it says nothing: it is vacuous.",
  "vacuous": "A bound on a probability that is 1 or more.",
  "leave-one-out": "The error of predicting each training example from a model trained on all the others.",
  "update": "One correction of an online learner, after an example whose margin was too small.",
  "p-norm": "‖x‖ₚ = (Σ|xᵢ|ᵖ)^(1/p). With p larger than 2 the margin favours a w with few large weights.",
  "outlier": "An example far from all others of its class.",
  "band": "ODM's interval from 1 − θ to 1 + θ in which a margin costs nothing.",
};

/** Terms of tables and legends. */
export const SIGNS = {
  "training examples": "The examples that the method is fitted to.",
  "test examples": "Examples that were kept away from training: what they show was not fitted to.",
  "accuracy": "The share of examples whose margin is positive: those on the right side.",
  "threshold": "The margin t at which the cumulative curves are read; it is dragged in their picture. “≤ t” is the share of margins at or below it.",
  "majority": "What always answering the class that most training examples have would give. A method that is no better has learned nothing.",
  "class": "What an example is labelled as in the data, by colour and shape, whatever is predicted.",
  "error": "An example on the wrong side of the boundary: predicted as another class than its own.",
  "boundary": "Where f is 0, or, with several classes, where the two largest scores are equal: the prediction changes there.",
  "outer contours": "Where f is −1 and +1, the functional margin from which the hinge loss is 0. For a method without that unit they stand at its mean margin.",
  "density": "Many examples in one square: its colour is that of their class, its dark middle the share of errors.",
  "predicted class": "The outline of a mark has the shape of the class that is predicted, where it is not the mark's own.",
  "example just seen": "The example that an online learner was shown last; its ring is thick where it led to an update.",
  "PUMMA's pair": "Of the examples seen, one of each class: the two by which PUMMA sets its w and bias.",
  "before the update": "The boundary as it was before the latest update.",
  objective: "What a method minimises, at its solution: a bar for each summand of its formula, to the left where it is negative, and their sum. What a slider acts in lights up while it moves. Two methods have no unit in common.",
};

/** Facts beside the name of a method above its picture. */
export const BADGE = {
  "✓": "The solver has done what it was asked, an online learner has nothing left to correct. ⚠: it has not; ◔: a preview on a part of the rows; ▸: a part of the stream has been seen; ⊘: it cannot run on these data.",
  gap: "By how much the objective can be above its optimum at most, relative to its size: a certificate, not an estimate.",
  iterations: "Steps of the solver; then the time they took.",
  "support vectors": TERMS["support vectors"],
  landmarks: "Where rows are many, so many of them span the space in which a kernel method sees all. The sign ✓ tells how far that is from the exact kernel problem at most.",
  "outside the band": "Examples whose margin costs something: those that ODM's and mcODM's solutions are made of.",
  test: "The share of the test examples that are classified correctly.",
};

/** Facts about an online learner. */
export const COUNTED = {
  updates: TERMS.update,
  mistakes: "Examples that were on the wrong side when they came.",
  passes: "Times that all training examples have been seen.",
};
