// What every sub-command shares. A command file adds its sub-command and runs one use case of app; it
// translates options and prints results, and computes nothing.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

class Command;
class PlanCrew;

// Adds the switch --json, stored in `json`: one JSON document on standard output and nothing else.
void add_json_option(Command& command, bool& json);

// Writes to standard output; throws IoError when that fails (a closed pipe, a full disk).
void print(std::string_view text);
// Writes one line to standard error: progress and warnings.
void print_note(std::string_view text);

// One function per sub-command, in the order of the help text.
void add_gpu_commands(Command& app);
void add_models_command(Command& app);
void add_schema_command(Command& app);
void add_web_command(Command& app, const std::string& version);
void add_mock_command(Command& app, const std::string& version);
void add_predict_command(Command& app);
void add_import_command(Command& app);
void add_sweep_plan_command(Command& app);
void add_train_command(Command& app);
void add_calibrate_command(Command& app);
void add_calibrate_host_command(Command& app);
void add_calibrate_machine_command(Command& app);
// The program warploom-judge has the command; others hand it on (judging_elsewhere.cpp).
void add_validate_command(Command& app);
void add_train_ceilings_command(Command& app);
void add_diagnose_command(Command& app);
void add_step_command(Command& app);
void add_static_command(Command& app);
void add_simulate_command(Command& app);
void add_forecast_command(Command& app);
void add_plan_command(Command& app, PlanCrew* crew);
void add_plans_command(Command& app, PlanCrew* crew);
void add_convert_clients_command(Command& app);
void add_prices_command(Command& app);
void add_support_command(Command& app);
void add_moe_config_command(Command& app);
void add_tuned_files_command(Command& app);
void add_train_moe_configs_command(Command& app);
void add_tune_command(Command& app);
// `plan`, `pick`, `show` and `export` of the tune command.
void add_tune_table_commands(Command& tune);
// `regret` of the tune command: as add_validate_command.
void add_regret_command(Command& tune);

}  // namespace warploom
