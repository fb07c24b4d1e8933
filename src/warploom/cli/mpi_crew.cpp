#include "warploom/cli/mpi_crew.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr int kAsk = 1, kNumber = 2;                    // tags
constexpr std::chrono::microseconds kBetweenLooks{50};  // of the thread that gives out numbers

class MpiCrew final : public PlanCrew {
 public:
  MpiCrew() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (rank_ == 0) giver_ = std::thread([this] { give_numbers(); });
  }

  ~MpiCrew() override {
    MPI_Barrier(MPI_COMM_WORLD);  // nobody asks any more
    over_ = true;
    if (giver_.joinable()) giver_.join();
  }

  bool is_first() const override { return rank_ == 0; }

  std::size_t take() override {
    if (rank_ == 0) return next_++;
    const std::scoped_lock lock(asking_);  // answers come in the order of questions
    unsigned long long number = 0;
    MPI_Send(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, kAsk, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, kNumber, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return std::size_t(number);
  }

  std::vector<CrewMessage> exchange(CrewMessage own) override {
    const int length = int(own.size());
    std::vector<int> lengths(std::size_t(size_), 0), begins(std::size_t(size_), 0);
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    // Every member's threads are back: numbers begin anew.
    next_ = 0;
    int whole = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      begins[i] = whole;
      whole += lengths[i];
    }
    CrewMessage all(std::size_t(whole), 0);
    // Nobody is past this before all are here, so nobody takes a number of the next stage too early.
    MPI_Allgatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), begins.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
    std::vector<CrewMessage> messages;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      messages.emplace_back(all.begin() + begins[i], all.begin() + begins[i] + lengths[i]);
    return messages;
  }

 private:
  void give_numbers() {
    while (!over_) {
      int asked = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kAsk, MPI_COMM_WORLD, &asked, &status);
      if (asked == 0) {
        std::this_thread::sleep_for(kBetweenLooks);
        continue;
      }
      unsigned long long number = 0;
      MPI_Recv(&number, 1, MPI_UNSIGNED_LONG_LONG, status.MPI_SOURCE, kAsk, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      number = next_++;
      MPI_Send(&number, 1, MPI_UNSIGNED_LONG_LONG, status.MPI_SOURCE, kNumber, MPI_COMM_WORLD);
    }
  }

  int rank_ = 0, size_ = 1;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> over_ = false;
  std::mutex asking_;
  std::thread giver_;
};

}  // namespace

std::unique_ptr<PlanCrew> mpi_crew() { return std::make_unique<MpiCrew>(); }

}  // namespace warploom
