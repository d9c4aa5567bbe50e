//! Reads a plan into the columns of frames.

use arrow_schema::FieldRef;
use pyo3::prelude::*;

use super::column::FrameColumn;
use super::grow::Growing;
use super::layout::{Kind, Layout};
use crate::error::{ToPython, guarded};
use crate::own::Own;
use crate::reading::Reading;

/// Reads a plan into the columns of one frame, or of one frame after the other.
#[pyclass(frozen, module = "bowshot._bowshot")]
pub(crate) struct FrameReader {
    layout: Layout,
    reading: Own<Reading>,
}

impl FrameReader {
    pub(crate) fn new(layout: Layout, reading: Reading) -> Self {
        FrameReader { layout, reading: Own::new(reading) }
    }

    fn columns(&self, py: Python<'_>, reading: &mut Reading, rows: Option<usize>) -> PyResult<Vec<FrameColumn>> {
        let fields = self.layout.schema();
        let kinds = fields.fields().iter().zip(&self.layout.kinds);
        let mut missing = rows.unwrap_or(usize::MAX);
        let expected = reading.rows_expected().map_or(0, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let grow = |(field, kind): (&FieldRef, &Kind)| Growing::new(field.clone(), *kind, expected.min(missing));
        let mut columns: Vec<Growing> = kinds.map(grow).collect();
        if rows.is_none() {
            // What waits is not in the frame yet, so that the result is still there only once; and no partition waits for those
            // before it, which took as long as one connection where partitions are few and large.
            reading.keep_all();
        }
        while missing > 0 {
            let Some(batch) = reading.next_slice(py, missing)? else { break };
            missing -= batch.num_rows();
            let append = || columns.iter_mut().zip(batch.columns()).try_for_each(|(grow, array)| grow.append(array));
            py.detach(append).to_python(py)?;
        }
        let masked = self.layout.masked;
        let finish = || columns.into_iter().map(|column| FrameColumn::new(column, masked)).collect();
        py.detach::<bowshot_core::Result<Vec<FrameColumn>>, _>(finish).to_python(py)
    }
}

#[pymethods]
impl FrameReader {
    /// The columns of the next `rows` rows (fewer at the end), or of all that are left. At the end they are empty.
    #[pyo3(signature = (rows=None))]
    fn read(&self, py: Python<'_>, rows: Option<usize>) -> PyResult<Vec<FrameColumn>> {
        guarded(py, || {
            py.detach(|| {
                let reading = self.reading.lock();
                Python::attach(|py| self.columns(py, &mut *reading.to_python(py)?, rows))
            })
        })
    }

    /// Ends the query in the database if it still runs.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut reading) = self.reading.lock() {
                reading.close();
            }
        });
    }
}
