"""One file per method. This list is the only place that names them all."""

from mdcore.methods import ecoc, ldm, linear_ldm, mcodm, mcsvm, msvmav, odm, ova, ovo, svm
from mdcore.spec import Method

METHODS: dict[str, Method] = {
    module.METHOD.key: module.METHOD for module in (svm, ldm, odm, msvmav, linear_ldm, mcodm, mcsvm, ova, ovo, ecoc)
}
