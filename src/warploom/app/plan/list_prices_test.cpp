#include "warploom/app/plan/list_prices.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(ListPrices, HasEveryShippedPriceWithItsSourceAndDay) {
  const PriceListing listing = list_prices({});
  EXPECT_EQ(listing.prices.size(), GpuPrices::shipped(GpuCatalog()).all().size());
  for (const ListedPrice& row : listing.prices) {
    EXPECT_FALSE(row.price.source.empty()) << row.price.gpu;
    EXPECT_EQ(row.price.date.size(), 10U) << row.price.gpu;
    EXPECT_GT(row.gpus_at_once, row.price.whole_nodes ? 1 : 0) << row.price.gpu;
  }
  EXPECT_TRUE(listing.unknown.empty());
}

TEST(ListPrices, KeepsWhatIsAskedForAndNamesWhatHasNone) {
  const PriceListing listing =
      list_prices({.gpus = {"H100", "P4", "h100_sxm"}, .price_kind = PriceKind::Spot});
  ASSERT_EQ(listing.prices.size(), 1U);
  EXPECT_EQ(listing.prices[0].price.gpu, "h100_sxm");
  EXPECT_EQ(listing.prices[0].gpus_at_once, 8) << "of a node";
  EXPECT_EQ(listing.unknown, std::vector<std::string>{"p4"});
  EXPECT_THROW((void)list_prices({.gpus = {"H100SMX"}}), NotFound);
}

TEST(ListPrices, OnesOwnComeBeforeTheKnownOnes) {
  const ScratchFolder scratch;
  const std::string own =
      scratch.write("own.json", R"({"schema": "warploom_gpu_prices", "version": 1, "prices": [
    {"gpu": "H100", "kind": "on_demand", "usd_per_gpu_hour": 2, "source": "a contract", "date": "2026-11-01",
     "whole_nodes": true}]})");
  const PriceListing listing =
      list_prices({.gpus = {"H100"}, .price_kind = PriceKind::OnDemand, .prices = own});
  ASSERT_GT(listing.prices.size(), 2U) << "several providers rent them out";
  EXPECT_DOUBLE_EQ(listing.prices[0].price.usd_per_gpu_hour, 2);
  EXPECT_EQ(listing.prices[0].gpus_at_once, 8);
  EXPECT_TRUE(listing.prices[0].planned);
  for (std::size_t i = 1; i < listing.prices.size(); ++i) EXPECT_FALSE(listing.prices[i].planned) << i;
}

}  // namespace
}  // namespace warploom
