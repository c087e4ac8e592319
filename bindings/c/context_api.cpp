// The library itself, and contexts.
#include "cutis/bind.h"
#include "cutis/compose.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/version.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

const char* cutis_version(void) {
  static const std::string text(version());
  return text.c_str();
}

int cutis_abi_version(void) { return CUTIS_ABI_VERSION; }

const char* cutis_status_name(cutis_status status) {
  switch (status) {
    case CUTIS_OK:
      return "ok";
    case CUTIS_END:
      return "end";
    case CUTIS_BAD_FILE:
      return "bad file";
    case CUTIS_BAD_CHARACTER:
      return "bad character";
    case CUTIS_BAD_ARGUMENT:
      return "bad argument";
    case CUTIS_IO:
      return "io";
    case CUTIS_CANCELLED:
      return "cancelled";
    case CUTIS_BAD_HANDLE:
      return "bad handle";
    case CUTIS_BUSY:
      return "busy";
    case CUTIS_NO_MEMORY:
      return "no memory";
    case CUTIS_INTERNAL:
      return "internal";
  }
  return "unknown";
}

cutis_status cutis_option_tables(const char** json) {
  return guarded([&] {
    need(json, "json");
    Json tables = {{"ReadOptions", Json::parse(option_table_to_json<ReadOptions>())},
                   {"BindOptions", Json::parse(option_table_to_json<BindOptions>())},
                   {"JointPreset", Json::parse(option_table_to_json<JointPreset>())},
                   {"SolveOptions", Json::parse(option_table_to_json<SolveOptions>())},
                   {"ImplicitOptions", Json::parse(option_table_to_json<ImplicitOptions>())},
                   {"TrackingOptions", Json::parse(option_table_to_json<TrackingOptions>())},
                   {"MetricsOptions", Json::parse(option_table_to_json<MetricsOptions>())}};
    add_more_tables(tables);
    give_json(json, tables);
  });
}

cutis_status cutis_controllers(const char** json) {
  return guarded([&] {
    need(json, "json");
    Json all = Json::array();
    for (const std::string& name : controller_preset_names())
      all.push_back(Json::parse(to_json(controller_preset(name))));
    give_json(json, all);
  });
}

cutis_status cutis_context_create(const char* options, cutis_context* context) {
  return guarded([&] {
    need(context, "context");
    const Json json = options_object(options, "context");
    int threads = 0;
    Backend backend = Backend::simd;
    for (const auto& [key, value] : json.items()) {
      if (key == "threads" && value.is_number_integer() && value >= 0 && value <= Context::kMostThreads)
        threads = value.get<int>();
      else if (key == "backend" && value.is_string())
        backend = backend_from_string(value.get<std::string>());
      else if (key == "threads" || key == "backend")
        refuse(fmt::format("context: \"{}\" cannot be {}; threads are a number from 0 to {}, back ends {}", key,
                           value.dump(-1, ' ', false, Json::error_handler_t::replace), Context::kMostThreads,
                           fmt::join(backend_names(), ", ")));
      else
        refuse(fmt::format("context: \"{}\" is not known; there are threads, backend", key));
    }
    give(context, std::make_shared<ContextObject>(threads, backend));
  });
}

cutis_status cutis_context_set_callbacks(cutis_context context, const cutis_callbacks* callbacks) {
  return guarded([&] {
    const auto object = take<ContextObject>(context);
    const cutis_callbacks copy = callbacks == nullptr ? cutis_callbacks{} : structure(callbacks, "callbacks");
    const std::scoped_lock lock(object->calls->mutex);
    object->calls->callbacks = copy;
  });
}

cutis_status cutis_context_cancel(cutis_context context, int on) {
  return guarded([&] { take<ContextObject>(context)->calls->cancel = on != 0; });
}

cutis_status cutis_context_destroy(cutis_context context) { return destroy<ContextObject>(context); }
