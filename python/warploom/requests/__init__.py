"""Requests as functions, a module each.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
# function -> module
FUNCTIONS = {
    "step": "step_request",
    "static": "static_request",
    "simulate": "simulate_request",
    "plan": "plan_request",
    "plans": "plans_request",
    "convert_clients": "convert_clients_request",
    "support": "support_request",
    "diagnose": "diagnose_request",
    "tune_plan": "tune_plan_request",
    "tune_fit": "tune_fit_request",
    "tune_fit_cross_gpu": "tune_fit_cross_gpu_request",
    "tune_show": "tune_show_request",
    "tune_regret": "tune_regret_request",
    "moe_config": "moe_config_request",
    "sweep_plan": "sweep_plan_request",
    "calibrate": "calibrate_request",
    "calibrate_host": "calibrate_host_request",
    "import_": "import_request",
    "train": "train_request",
    "validate_kernels": "validate_kernels_request",
    "validate_leave_out": "validate_leave_out_request",
    "validate_static": "validate_static_request",
    "validate_serving": "validate_serving_request",
    "validate_concurrency": "validate_concurrency_request",
    "validate_ceilings": "validate_ceilings_request",
    "train_ceilings": "train_ceilings_request",
}
