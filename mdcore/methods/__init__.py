"""The methods, one module each. `METHODS` is the only place that lists them all."""

from mdcore.methods import (
    ecoc,
    emamc,
    fmm,
    komd,
    ldm,
    linear_ldm,
    lssvm,
    mamc,
    mcodm,
    mcsvm,
    mdo,
    msvmav,
    odm,
    ova,
    ovo,
    svm,
    svr,
)
from mdcore.methods.online import alma, micra, pumma, romma
from mdcore.spec import Method

METHODS: dict[str, Method] = {
    module.METHOD.key: module.METHOD
    for module in (
        *(svm, ldm, odm, msvmav, linear_ldm, mamc, emamc, lssvm, svr, komd, mdo, fmm),
        *(pumma, romma, alma, micra),
        *(mcodm, mcsvm, ova, ovo, ecoc),
    )
}
