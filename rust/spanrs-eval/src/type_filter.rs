/// Which types count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeFilter {
    /// These only; None for all.
    pub keep: Option<Vec<String>>,
    /// Not these.
    pub exclude: Vec<String>,
}

impl TypeFilter {
    /// True where spans of the type count.
    pub fn counts(&self, name: &str) -> bool {
        let listed = |names: &[String]| names.iter().any(|listed| listed == name);
        self.keep.as_deref().is_none_or(listed) && !listed(&self.exclude)
    }
}
