// Tables of measurements in every layout.
#include "fuzz_input.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  static const GpuCatalog gpus;
  constexpr auto& kLayouts = EnumNames<Layout>::kNames;
  const fuzz::Input input(data, size);
  const std::size_t choice = input.choice % (kLayouts.size() + 1);
  fuzz::read_or_refused(input, [&] {
    if (choice == kLayouts.size()) {
      (void)MeasurementStore(files.write("store.db", input.bytes), MeasurementStore::Mode::ReadOnly).load();
      return;
    }
    const Layout layout = kLayouts[choice].first;
    const char* name = layout == Layout::Kineto ? "input.json" : "input.csv";
    const std::filesystem::path paths[] = {files.write(name, input.bytes)};
    (void)import_measurements(layout, paths, gpus);
  });
  return 0;
}
