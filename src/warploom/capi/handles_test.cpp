#include "warploom/capi/handles.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "warploom/capi/warploom.h"

namespace warploom {
namespace {

template <class T>
using SomeHandles = HandleTable<T, HandleKind::Session>;

TEST(Handles, KnowWhatWasClosed) {
  SomeHandles<int> table;
  const auto value = [&](const void* handle) { return *table.get(handle, "it", HandleUse::Shared); };
  void* one = table.open(std::make_unique<int>(1));
  void* two = table.open(std::make_unique<int>(2));
  EXPECT_EQ(value(one), 1);
  EXPECT_EQ(value(two), 2);
  table.close(one);
  EXPECT_THROW(value(one), InvalidInput);
  table.close(one);                                    // again
  void* three = table.open(std::make_unique<int>(3));  // takes the place of the first
  EXPECT_THROW(value(one), InvalidInput);
  EXPECT_EQ(value(three), 3);
  EXPECT_THROW(value(nullptr), InvalidInput);
  int on_the_stack = 0;
  EXPECT_THROW(value(&on_the_stack), InvalidInput);
}

TEST(Handles, AreAllDifferent) {
  SomeHandles<std::size_t> table;
  std::vector<void*> open;
  for (std::size_t i = 0; i < 1000; ++i) open.push_back(table.open(std::make_unique<std::size_t>(i)));
  EXPECT_EQ(std::set<void*>(open.begin(), open.end()).size(), open.size());
  for (std::size_t i = 0; i < open.size(); ++i) EXPECT_EQ(*table.get(open[i], "it", HandleUse::Shared), i);
  for (void* handle : open) table.close(handle);
}

TEST(Handles, AreOfOneKind) {
  HandleTable<int, HandleKind::Session> sessions;
  HandleTable<int, HandleKind::Question> questions;
  void* session = sessions.open(std::make_unique<int>(1));
  void* question = questions.open(std::make_unique<int>(2));
  EXPECT_TRUE(sessions.is_open(session));
  EXPECT_FALSE(questions.is_open(session));
  EXPECT_FALSE(sessions.is_open(question));
  questions.close(session);  // nothing
  EXPECT_TRUE(sessions.is_open(session));
}

TEST(Handles, OfOneThreadRefuseTheOther) {
  SomeHandles<int> table;
  void* handle = table.open(std::make_unique<int>(1));
  {
    const auto reads = table.get(handle, "it", HandleUse::Shared);
    EXPECT_EQ(*table.get(handle, "it", HandleUse::Shared), 1);
    EXPECT_THROW(table.get(handle, "it", HandleUse::Exclusive), InvalidInput);
  }
  const auto alone = table.get(handle, "it", HandleUse::Exclusive);
  EXPECT_THROW(table.get(handle, "it", HandleUse::Shared), InvalidInput);
}

// Freed while somebody looks at it, the value would be another.
TEST(Handles, LiveUntilTheLastOneThatUsesThemIsDone) {
  struct Watched {
    std::atomic<int> value{7};
    ~Watched() { value = 0; }
  };
  SomeHandles<Watched> table;
  std::array<std::atomic<void*>, 8> handles{};
  std::atomic<int> wrong = 0, seen = 0;
  std::atomic<bool> ends = false;
  for (auto& handle : handles) handle = table.open(std::make_unique<Watched>());
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t i = thread; !ends; ++i) {
        void* handle = handles[i % 8];
        try {
          const auto held = table.get(handle, "it", HandleUse::Shared);
          for (int look = 0; look < 20; ++look) wrong += held->value == 7 ? 0 : 1;
          ++seen;
        } catch (const InvalidInput&) {
        }
        if (i % 3 == 0) {
          table.close(handle);
          handles[i % 8] = table.open(std::make_unique<Watched>());
        }
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ends = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(seen, 0);
}

struct Message {
  std::array<char, 300> text{};
  std::string said() const { return text.data(); }
};

TEST(AnswersC, AnswerPredictAndPriceSteps) {
  Message message;
  warploom_session* session = nullptr;
  ASSERT_EQ(warploom_open(nullptr, &session, message.text.data(), message.text.size()), WARPLOOM_OK)
      << message.said();
  char* text = nullptr;
  EXPECT_EQ(
      warploom_answer(session, "step", R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM", "decode": "4x9"})",
                      nullptr, &text, message.text.data(), message.text.size()),
      WARPLOOM_OK)
      << message.said();
  EXPECT_NE(std::string(text).find("\"step_ms\""), std::string::npos);
  warploom_free_text(text);

  warploom_question* question = nullptr;
  const char* const fields = R"({"gpu": "H100-SXM", "family": "gemm", "m": 1, "n": 4096, "k": 4096})";
  ASSERT_EQ(warploom_question_open(session, fields, &question, nullptr, 0), WARPLOOM_OK);
  const std::array<std::int64_t, 3> m{1, 100, 5000};
  const warploom_column column{"m", m.data()};
  std::array<warploom_prediction, 3> rows{};
  ASSERT_EQ(warploom_predict_rows(question, &column, 1, m.size(), 1, rows.data(), nullptr, 0), WARPLOOM_OK);
  warploom_close(session);  // the question goes on
  for (std::size_t i = 0; i < m.size(); ++i) {
    warploom_prediction one{};
    ASSERT_EQ(warploom_question_set(question, "m", m[i], nullptr, 0), WARPLOOM_OK);
    ASSERT_EQ(warploom_predict(question, &one, nullptr, 0), WARPLOOM_OK);
    EXPECT_EQ(one.p50_us, rows[i].p50_us);
    EXPECT_GE(one.p10_us, one.physical_bound_us * 0.999);
  }
  warploom_question_close(question);
}

TEST(AnswersC, StepsCanBePricedOneAfterTheOther) {
  warploom_session* session = nullptr;
  ASSERT_EQ(warploom_open("", &session, nullptr, 0), WARPLOOM_OK);
  warploom_step* step = nullptr;
  ASSERT_EQ(warploom_step_open(session, R"({"model": "Llama-3.1-8B", "gpu": "H200"})", &step, nullptr, 0),
            WARPLOOM_OK);
  warploom_step_price decode{}, mixed{};
  EXPECT_EQ(warploom_step_decode(step, 2, 100, &decode, nullptr, 0), WARPLOOM_OK);
  const std::array<std::int64_t, 2> contexts{100, 100};
  EXPECT_EQ(warploom_step_mixed(step, contexts.data(), 2, nullptr, 0, &mixed, nullptr, 0), WARPLOOM_OK);
  EXPECT_EQ(decode.p50_us, mixed.p50_us);
  EXPECT_EQ(warploom_step_decode(step, 0, 100, &decode, nullptr, 0), WARPLOOM_BAD_INPUT);
  warploom_step_close(step);
  Message message;
  EXPECT_EQ(warploom_step_decode(step, 2, 100, &decode, message.text.data(), message.text.size()),
            WARPLOOM_BAD_INPUT);
  EXPECT_NE(message.said().find("not open any more"), std::string::npos);
  warploom_close(session);
}

TEST(AnswersC, RefuseNullClosedAndUnknownWithAWord) {
  Message message;
  char* const into = message.text.data();
  const std::size_t size = message.text.size();
  warploom_session* session = nullptr;
  EXPECT_EQ(warploom_open("/no/such/folder", &session, into, size), WARPLOOM_BAD_INPUT) << message.said();
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(warploom_open(nullptr, nullptr, into, size), WARPLOOM_BAD_INPUT);
  ASSERT_EQ(warploom_open(nullptr, &session, into, size), WARPLOOM_OK);
  char* text = nullptr;
  EXPECT_EQ(warploom_answer(session, "simulat", "{}", nullptr, &text, into, size), WARPLOOM_BAD_INPUT);
  EXPECT_NE(message.said().find("simulate"), std::string::npos);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(warploom_answer(session, "step", "{", nullptr, &text, into, size), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_answer(session, nullptr, "{}", nullptr, &text, into, size), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_answer(session, "step", nullptr, nullptr, &text, into, size), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_answer(session, "step", "{}", nullptr, nullptr, into, size), WARPLOOM_BAD_INPUT);
#ifndef WARPLOOM_SANITIZED  // the judge is not there
  EXPECT_EQ(warploom_answer(session, "validate_static", R"({"truth": "/none.csv", "requests": "/none.csv"})",
                            nullptr, &text, into, size),
            WARPLOOM_IO_ERROR)
      << message.said();
#endif
  warploom_close(session);
  warploom_close(session);
  warploom_close(nullptr);
  EXPECT_EQ(warploom_answer(session, "gpus", "{}", nullptr, &text, into, size), WARPLOOM_BAD_INPUT);
  warploom_prediction prediction{};
  EXPECT_EQ(warploom_predict(nullptr, &prediction, into, size), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_predict(reinterpret_cast<warploom_question*>(session), &prediction, into, size),
            WARPLOOM_BAD_INPUT);
}

// A handle in the place of another was answered: the price of a product that nobody asked for.
TEST(AnswersC, RefuseHandlesOfAnotherKind) {
  Message message;
  char* const into = message.text.data();
  const std::size_t size = message.text.size();
  warploom_session* session = nullptr;
  warploom_question* question = nullptr;
  warploom_step* step = nullptr;
  ASSERT_EQ(warploom_open("roofline", &session, into, size), WARPLOOM_OK);
  const char* const product = R"({"gpu": "H100-SXM", "family": "gemm", "m": 64, "n": 4096, "k": 4096})";
  ASSERT_EQ(warploom_question_open(session, product, &question, into, size), WARPLOOM_OK);
  ASSERT_EQ(warploom_step_open(session, R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM"})", &step, into, size),
            WARPLOOM_OK);
  char* text = nullptr;
  EXPECT_EQ(warploom_answer(reinterpret_cast<warploom_session*>(question), "gpus", "{}", nullptr, &text, into,
                            size),
            WARPLOOM_BAD_INPUT);
  EXPECT_NE(message.said().find("session: is a handle of another kind"), std::string::npos) << message.said();
  warploom_prediction prediction{};
  EXPECT_EQ(warploom_predict(reinterpret_cast<warploom_question*>(step), &prediction, into, size),
            WARPLOOM_BAD_INPUT);
  EXPECT_NE(message.said().find("question: is a handle of another kind"), std::string::npos);
  warploom_close(reinterpret_cast<warploom_session*>(question));  // nothing
  EXPECT_EQ(warploom_predict(question, &prediction, into, size), WARPLOOM_OK) << message.said();
  warploom_question_close(question);
  warploom_step_close(step);
  warploom_close(session);
}

TEST(AnswersC, OneStepFromEightThreadsIsPricedOrRefused) {
  warploom_session* session = nullptr;
  warploom_step* step = nullptr;
  ASSERT_EQ(warploom_open("roofline", &session, nullptr, 0), WARPLOOM_OK);
  ASSERT_EQ(warploom_step_open(session, R"({"model": "Llama-3.1-8B", "gpu": "H200"})", &step, nullptr, 0),
            WARPLOOM_OK);
  std::atomic<int> odd = 0, priced = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 1; i < 200; ++i) {
        warploom_step_price price{};
        const warploom_status status = warploom_step_decode(step, i, 100 + thread, &price, nullptr, 0);
        if (status == WARPLOOM_OK && price.p50_us > 0) ++priced;
        if (status != WARPLOOM_OK && status != WARPLOOM_BAD_INPUT) ++odd;
      }
      warploom_step_close(step);  // all but the first close nothing
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(odd, 0);
  EXPECT_GT(priced, 0);
  warploom_close(session);
}

TEST(AnswersC, StopARunThatIsTold) {
  warploom_session* session = nullptr;
  ASSERT_EQ(warploom_open(nullptr, &session, nullptr, 0), WARPLOOM_OK);
  const warploom_watch watch{[](void*, double, double) { return 1; }, nullptr, nullptr};
  char* text = nullptr;
  ASSERT_EQ(
      warploom_answer(session, "simulate",
                      R"({"model": "Llama-3.1-8B", "gpu": "H200", "requests": 5000, "intervals": false})",
                      &watch, &text, nullptr, 0),
      WARPLOOM_OK);
  EXPECT_NE(std::string(text).find("\"partial\": true"), std::string::npos);
  warploom_free_text(text);
  warploom_close(session);
}

}  // namespace
}  // namespace warploom
