//! One product, a column of sizes and a decode step, through the C interface (src/warploom/capi/warploom.h)
//! by plain foreign functions: no crate is needed.
//!
//!     rustc -O -L build/release/lib -C link-arg=-Wl,-rpath,build/release/lib examples/rust/predict.rs

use std::ffi::{c_char, c_double, c_void, CStr, CString};
use std::ptr::null_mut;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Prediction {
    p10_us: c_double,
    p50_us: c_double,
    p90_us: c_double,
    physical_bound_us: c_double,
    bound: i32,
    tier: i32,
    extrapolated: i32,
    stands_in: i32,
    in_step: i32,
    reserved: i32,
}

#[repr(C)]
struct Column {
    field: *const c_char,
    values: *const i64,
}

#[repr(C)]
#[derive(Default)]
struct StepPrice {
    p10_us: c_double,
    p50_us: c_double,
    p90_us: c_double,
    host_us: c_double,
}

#[link(name = "warploom")]
extern "C" {
    fn warploom_open(
        predictor: *const c_char,
        session: *mut *mut c_void,
        message: *mut c_char,
        size: usize,
    ) -> i32;
    fn warploom_close(session: *mut c_void);
    fn warploom_question_open(
        session: *const c_void,
        fields: *const c_char,
        question: *mut *mut c_void,
        message: *mut c_char,
        size: usize,
    ) -> i32;
    fn warploom_question_close(question: *mut c_void);
    fn warploom_predict(
        question: *const c_void,
        prediction: *mut Prediction,
        message: *mut c_char,
        size: usize,
    ) -> i32;
    fn warploom_predict_rows(
        question: *const c_void,
        columns: *const Column,
        column_count: usize,
        rows: usize,
        threads: usize,
        predictions: *mut Prediction,
        message: *mut c_char,
        size: usize,
    ) -> i32;
    fn warploom_step_open(
        session: *const c_void,
        setup: *const c_char,
        step: *mut *mut c_void,
        message: *mut c_char,
        size: usize,
    ) -> i32;
    fn warploom_step_close(step: *mut c_void);
    fn warploom_step_decode(
        step: *mut c_void,
        requests: i64,
        context: i64,
        price: *mut StepPrice,
        message: *mut c_char,
        size: usize,
    ) -> i32;
}

/// Runs one function of the library; its message is the error.
fn call(work: impl FnOnce(*mut c_char, usize) -> i32) -> Result<(), String> {
    let mut message = [0 as c_char; 512];
    match work(message.as_mut_ptr(), message.len()) {
        0 => Ok(()),
        _ => Err(unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned()),
    }
}

fn text(words: &str) -> CString {
    CString::new(words).expect("no zero inside")
}

fn main() -> Result<(), String> {
    let (mut session, mut question, mut step) = (null_mut(), null_mut(), null_mut());
    let product = text(r#"{"gpu": "H100-SXM", "family": "gemm", "m": 64, "n": 4096, "k": 4096}"#);
    let setup = text(r#"{"model": "Llama-3.1-8B", "gpu": "H100-SXM"}"#);
    let unknown = text(r#"{"model": "Llama-3.1-8B", "gpu": "H100-SMX"}"#);
    unsafe {
        call(|message, size| warploom_open(null_mut(), &mut session, message, size))?;
        call(|message, size| {
            warploom_question_open(session, product.as_ptr(), &mut question, message, size)
        })?;
        let mut one = Prediction::default();
        call(|message, size| warploom_predict(question, &mut one, message, size))?;
        println!(
            "{:.2} us ({:.2} .. {:.2}), at least {:.2}",
            one.p50_us, one.p10_us, one.p90_us, one.physical_bound_us
        );

        let (field, sizes) = (text("m"), [1i64, 64, 4096]);
        let column = Column { field: field.as_ptr(), values: sizes.as_ptr() };
        let mut rows = [Prediction::default(); 3];
        call(|message, size| {
            warploom_predict_rows(question, &column, 1, rows.len(), 1, rows.as_mut_ptr(), message, size)
        })?;
        assert_eq!(rows[1].p50_us, one.p50_us);
        for (m, row) in sizes.iter().zip(&rows) {
            println!("m {m:5}: {:.2} us", row.p50_us);
        }

        call(|message, size| warploom_step_open(session, setup.as_ptr(), &mut step, message, size))?;
        let mut price = StepPrice::default();
        call(|message, size| warploom_step_decode(step, 64, 500, &mut price, message, size))?;
        println!("64 requests decode in {:.2} ms", (price.p50_us + price.host_us) / 1000.0);

        let mut none = null_mut();
        let refused =
            call(|message, size| warploom_step_open(session, unknown.as_ptr(), &mut none, message, size));
        println!("refused: {}", refused.expect_err("an unknown GPU was priced"));
        warploom_step_close(step);
        warploom_question_close(question);
        warploom_close(session);
    }
    Ok(())
}
