//! Locks for values that Python shares between threads.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::exceptions::PyRuntimeError;

use crate::error::Result;

/// Waits for a lock that is never held while Python code runs.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock, or raises an error with this message if another thread or a callback holds the lock: waiting could
/// cause a deadlock.
pub(crate) fn lock_now<'a, T>(
    mutex: &'a Mutex<T>,
    message: &'static str,
) -> Result<MutexGuard<'a, T>> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(message).into()),
    }
}
