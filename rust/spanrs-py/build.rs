//! Tells the compiler which interpreter the binding is built for.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
