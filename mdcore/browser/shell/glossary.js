/** Definitions of the terms on screen, each one click away from the term. */

/** Terms that occur in the text of lessons. */
export const TERMS = {
  "margin": "How far an example is on the correct side of the boundary: y f(x), or, on the geometric scale, its distance to the boundary in the space of the kernel. With several classes, how far its class is ahead of every other. Negative for an error.",
  "functional scale": "Margins y f(x), as in the optimisation problem. Their unit differs between methods.",
  "geometric scale": "Margins y f(x)/‖w‖: distances to the boundary in the space of the kernel. ‖w‖ leaves out the bias, whatever the method penalises. Only these can be compared between methods, provided that kernel, γ, columns and norm are the same. With several classes, the smallest distance to a boundary between the true class and another one; for an example on the wrong side, the least possible distance.",
  "smallest margin": "The margin of the example nearest to the boundary, or furthest on the wrong side.",
  "mean margin": "The average of the margins, of the training examples unless stated otherwise.",
  "variance": "The mean squared distance of the margins from their mean.",
  "semi-variance": "The mean squared shortfall below the mean; margins above the mean do not count.",
  "cumulative margin curve": "For every t, the share of examples whose margin is at most t. Its height at 0 is the share of errors.",
  "quantile": "The 10 % quantile is the margin that a tenth of the examples do not exceed.",
  "hyperplane": "All points with ⟨w, x⟩ + b = 0: a line in the plane, a plane in space.",
  "bias": "The number b in f(x) = ⟨w, x⟩ + b; it moves the boundary along its normal. If “bias” is ticked, kernel machines include it as a constant feature.",
  "hinge loss": "max(0, 1 − y f(x)): zero for margins of at least 1, and increasing below.",
  "support vectors": "The examples that determine the solution; without the others it would be the same.",
  "kernel": "A function k(x, z) that equals an inner product in a feature space, which need not be computed explicitly.",
  "test accuracy": "The share of correctly classified examples among those held out from training.",
  "bound": "A number that, by a theorem, an error probability does not exceed. At 1 or above it says nothing: it is vacuous.",
  "vacuous": "A bound on a probability that is 1 or more.",
  "leave-one-out": "The error of predicting each training example from a model trained on all the others.",
  "update": "A correction made by an online learner after an example whose margin was too small.",
  "p-norm": "‖x‖ₚ = (Σ|xᵢ|ᵖ)^(1/p). With p larger than 2 the margin favours a w with few large weights.",
  "outlier": "An example far from all others of its class.",
  "band": "ODM's interval from 1 − θ to 1 + θ in which a margin costs nothing.",
};

/** Terms of tables and legends. */
export const SIGNS = {
  "training examples": "The examples to which the method is fitted.",
  "test examples": "Examples held out from training, to which nothing was fitted.",
  "accuracy": "The share of examples with a positive margin, which are classified correctly.",
  "threshold": "The margin t at which the cumulative curves are read; drag it in their chart. “≤ t” is the share of margins of at most t.",
  "majority": "The accuracy of always predicting the most frequent class of the training examples. A method that is no better has learned nothing.",
  "class": "The label of an example in the data, shown by colour and shape, whatever the prediction.",
  "error": "An example on the wrong side of the boundary, predicted as another class.",
  "boundary": "Where f is 0 or, with several classes, where the two largest scores are equal. The prediction changes there.",
  "outer contours": "Where f is −1 and +1, the functional margin from which the hinge loss is 0. For a method with another unit, they are at its mean margin.",
  "density": "A square stands for many examples: its colour is their class, its dark middle the share of errors.",
  "predicted class": "The outline around a mark has the shape of the predicted class, if the prediction is wrong.",
  "example just seen": "The last example that an online learner has seen; its ring is thick if it caused an update.",
  "PUMMA's pair": "Two of the examples seen, one of each class, from which PUMMA computes its w and bias.",
  "before the update": "The boundary before the latest update.",
  objective: "The objective that a method minimises, at its solution: a bar for each term of the formula, to the left if it is negative, and the sum. The terms that a slider affects light up while it moves. Objectives of different methods are not comparable.",
};

/** Facts beside the name of a method above its picture. */
export const BADGE = {
  "✓": "The solver has converged, or the online learner has nothing left to correct. ⚠: it has not; ◔: a preview on some of the rows; ▸: part of the stream has been seen; ⊘: it cannot run on these data.",
  gap: "An upper bound on the relative difference between the objective and its optimum: a certificate, not an estimate.",
  iterations: "Iterations of the solver, followed by their time.",
  "support vectors": TERMS["support vectors"],
  landmarks: "With many rows, a kernel method projects them on the span of this many landmarks. The sign ✓ gives an upper bound on the distance to the exact kernel problem.",
  "outside the band": "Examples whose margin incurs a loss; they determine the solutions of ODM and mcODM.",
  test: "The share of correctly classified test examples.",
};

/** Facts about an online learner. */
export const COUNTED = {
  updates: TERMS.update,
  mistakes: "Examples on the wrong side of the boundary when they arrived.",
  passes: "The number of passes over all training examples.",
};
