//! Passes the configuration of the Python interpreter to the compiler.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
