import time, numpy as np, mdcore
print(mdcore.__file__)
from benchmarks.solvers import Problem, _clarabel_box, LDM_PARAMS
from mdcore import LDM
from mdcore.solvers.ldm import dual_matrix
p=Problem.of_size(300); sp=p.space(); y=p.y
H=dual_matrix(sp.gram,y,np.full(300,1/300),1.0)
_clarabel_box(H,LDM_PARAMS)
t=time.perf_counter(); [_clarabel_box(H,LDM_PARAMS) for _ in range(3)]; print('clarabel',(time.perf_counter()-t)/3*1e3)
for name,vals in (("lambda1",np.r_[2.0**np.linspace(-8,10,41)]),("lambda2",2.0**np.linspace(-8,10,41)),("C",2.0**np.linspace(-10,10,41))):
    for rep in range(2):
        m=LDM(**LDM_PARAMS,warm_start=True); sp=p.space()
        t=time.perf_counter()
        for v in vals:
            setattr(m,name,v); m.fit_space(sp,y)
        print(name,'warm',(time.perf_counter()-t)*1e3)
    sp=p.space(); t=time.perf_counter()
    for v in vals: LDM(**(LDM_PARAMS|{name:v})).fit_space(sp,y)
    print(name,'cold',(time.perf_counter()-t)*1e3)
