"""All of them, for type checkers.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from warploom.requests.step_request import step as step
from warploom.requests.static_request import static as static
from warploom.requests.simulate_request import simulate as simulate
from warploom.requests.plan_request import plan as plan
from warploom.requests.plans_request import plans as plans
from warploom.requests.convert_clients_request import convert_clients as convert_clients
from warploom.requests.support_request import support as support
from warploom.requests.diagnose_request import diagnose as diagnose
from warploom.requests.tune_plan_request import tune_plan as tune_plan
from warploom.requests.tune_fit_request import tune_fit as tune_fit
from warploom.requests.tune_fit_cross_gpu_request import tune_fit_cross_gpu as tune_fit_cross_gpu
from warploom.requests.tune_show_request import tune_show as tune_show
from warploom.requests.tune_regret_request import tune_regret as tune_regret
from warploom.requests.moe_config_request import moe_config as moe_config
from warploom.requests.sweep_plan_request import sweep_plan as sweep_plan
from warploom.requests.calibrate_request import calibrate as calibrate
from warploom.requests.calibrate_host_request import calibrate_host as calibrate_host
from warploom.requests.import_request import import_ as import_
from warploom.requests.train_request import train as train
from warploom.requests.validate_kernels_request import validate_kernels as validate_kernels
from warploom.requests.validate_leave_out_request import validate_leave_out as validate_leave_out
from warploom.requests.validate_static_request import validate_static as validate_static
from warploom.requests.validate_serving_request import validate_serving as validate_serving
from warploom.requests.validate_concurrency_request import validate_concurrency as validate_concurrency
from warploom.requests.validate_ceilings_request import validate_ceilings as validate_ceilings
from warploom.requests.train_ceilings_request import train_ceilings as train_ceilings
