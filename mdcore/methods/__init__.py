"""One file per method. This list is the only place that names them all."""

from mdcore.methods import alma, ldm, linear_ldm, micra, msvmav, odm, pumma, romma, svm
from mdcore.spec import Method

METHODS: dict[str, Method] = {
    module.METHOD.key: module.METHOD for module in (svm, ldm, odm, msvmav, linear_ldm, pumma, romma, alma, micra)
}
