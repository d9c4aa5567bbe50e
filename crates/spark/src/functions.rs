//! The functions that the JVM calls, as `io.bowshot.spark.Native`; what they are asked and answer in texts stands at each.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::Schema;
use bowshot_border::{Reply, Texts, borrow, close, handle, methods, request};
use bowshot_connect::Login;
use bowshot_core::{Address, Cancel, Error, ErrorKind, Result, Secret, bytes_of};

use crate::plan::written;
use crate::{Asked, Filter, Looked, Planned, Reading, Wish, read_aggregates};

/// A query that was looked at.
struct Look {
    asked: Asked,
    looked: Looked,
}

methods! {
    /// Looks at a query: address, text, user, password, how many parts a table's name has, these, then
    /// options by name and value. Writes the columns to `schema`; answers a look, with
    /// the kind of source, whether the text is a table's name, the rows and bytes that are expected (or nothing), how it would be read, the
    /// address for tasks and as people may see it, and whether aggregates may be known without reading.
    fn bowshot_spark_look, Java_io_bowshot_spark_Native_look(at: i64, length: i64, schema: i64) {
        // SAFETY: the caller wrote the request, and has room for an ArrowSchema.
        #[expect(unsafe_code, reason = "the caller's memory")]
        unsafe {
            let (look, texts) = look(&request(at, length)?)?;
            give_schema(&look.looked.schema, schema)?;
            Ok(Reply { value: handle(look), texts })
        }
    }

    /// Lists the tables of a source that is asked for as for a look: the schema, or nothing, and the name of each.
    fn bowshot_spark_list, Java_io_bowshot_spark_Native_list(at: i64, length: i64) {
        // SAFETY: the caller wrote the request.
        #[expect(unsafe_code, reason = "the caller's memory")]
        let (asked, _) = asked(&unsafe { request(at, length)? })?;
        let mut texts = Texts::default();
        for (schema, name) in asked.tables()? {
            texts.push(schema.unwrap_or_default());
            texts.push(name);
        }
        Ok(Reply { value: 0, texts })
    }

    /// Lets go of a look.
    fn bowshot_spark_close_look, Java_io_bowshot_spark_Native_closeLook(look: i64) {
        // SAFETY: the caller closes it once.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { close::<Look>(look) };
        Ok(Reply::default())
    }

    /// The statement by which a plan of these would read; it is asked as [`bowshot_spark_plan`] is.
    fn bowshot_spark_statement, Java_io_bowshot_spark_Native_statement(look: i64, at: i64, length: i64) {
        // SAFETY: the caller wrote the request, and keeps the look.
        #[expect(unsafe_code, reason = "the caller's memory and handle")]
        let (look, request) = unsafe { (borrow::<Look>(look)?, request(at, length)?) };
        let written = written(&look.asked, &look.looked, &wish(&request)?)?;
        Ok(Reply { value: 0, texts: Texts::from([written.sql.as_str()]) })
    }

    /// What is known of all rows of what was looked at, as it is now, without reading them: how many aggregates follow, and of each what it is
    /// and its column. Answers 1, and of each its value, or nothing for NULL; or 0 where one of them is not known.
    fn bowshot_spark_aggregates, Java_io_bowshot_spark_Native_aggregates(look: i64, at: i64, length: i64) {
        // SAFETY: the caller wrote the request, and keeps the look.
        #[expect(unsafe_code, reason = "the caller's memory and handle")]
        let (look, request) = unsafe { (borrow::<Look>(look)?, request(at, length)?) };
        let Some(found) = look.asked.aggregates(&look.looked, &read_aggregates(&request, 0)?)? else {
            return Ok(Reply::default());
        };
        let mut texts = Texts::default();
        found.into_iter().for_each(|value| texts.push(value.unwrap_or_default()));
        Ok(Reply { value: 1, texts })
    }

    /// Plans what was looked at: how many rows are enough (or nothing), how many columns follow, these, and filters. Answers a plan, with why
    /// it is read so, its snapshot, and of each partition the label, the rows (or nothing) and the ticket.
    fn bowshot_spark_plan, Java_io_bowshot_spark_Native_plan(look: i64, at: i64, length: i64) {
        // SAFETY: the caller wrote the request, and keeps the look.
        #[expect(unsafe_code, reason = "the caller's memory and handle")]
        let (look, request) = unsafe { (borrow::<Look>(look)?, request(at, length)?) };
        let planned = Planned::new(&look.asked, &look.looked, &wish(&request)?)?;
        let texts = plan_texts(&planned)?;
        Ok(Reply { value: handle(planned), texts })
    }

    /// Whether the plan's tickets can still be read.
    fn bowshot_spark_is_alive, Java_io_bowshot_spark_Native_isAlive(plan: i64) {
        // SAFETY: the caller keeps the plan.
        #[expect(unsafe_code, reason = "the caller's handle")]
        let plan = unsafe { borrow::<Planned>(plan)? };
        Ok(Reply::value(plan.is_alive().into()))
    }

    /// Ends a plan; its snapshot goes.
    fn bowshot_spark_close_plan, Java_io_bowshot_spark_Native_closePlan(plan: i64) {
        // SAFETY: the caller closes it once.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { close::<Planned>(plan) };
        Ok(Reply::default())
    }

    /// What stops a read from another thread.
    fn bowshot_spark_new_cancel, Java_io_bowshot_spark_Native_newCancel() {
        Ok(Reply::value(handle(Cancel::new())))
    }

    /// Stops the reads that were opened with it.
    fn bowshot_spark_cancel, Java_io_bowshot_spark_Native_cancel(cancel: i64) {
        // SAFETY: the caller keeps it.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { borrow::<Cancel>(cancel)? }.cancel();
        Ok(Reply::default())
    }

    /// Lets go of what stops reads.
    fn bowshot_spark_close_cancel, Java_io_bowshot_spark_Native_closeCancel(cancel: i64) {
        // SAFETY: the caller closes it once.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { close::<Cancel>(cancel) };
        Ok(Reply::default())
    }

    /// Opens a partition: address, ticket, columns. Writes its columns to `schema`; answers a reading.
    fn bowshot_spark_open, Java_io_bowshot_spark_Native_open(cancel: i64, at: i64, length: i64, schema: i64) {
        // SAFETY: the caller wrote the request, keeps the cancel, and has room for an ArrowSchema.
        #[expect(unsafe_code, reason = "the caller's memory and handle")]
        unsafe {
            let (cancel, request) = (borrow::<Cancel>(cancel)?, request(at, length)?);
            let columns: Vec<String> = request.texts_from(2)?.into_iter().map(str::to_owned).collect();
            let reading = Reading::open_with(request.text(0)?, request.bytes(1)?, &columns, cancel.as_ref().clone())?;
            give_schema(reading.schema(), schema)?;
            Ok(Reply::value(handle(reading)))
        }
    }

    /// Opens a file, or a range of one: address, how many columns follow, these, and filters. Writes its columns to `schema`; answers a
    /// reading.
    fn bowshot_spark_open_file, Java_io_bowshot_spark_Native_openFile(cancel: i64, at: i64, length: i64, schema: i64) {
        // SAFETY: the caller wrote the request, keeps the cancel, and has room for an ArrowSchema.
        #[expect(unsafe_code, reason = "the caller's memory and handle")]
        unsafe {
            let (cancel, request) = (borrow::<Cancel>(cancel)?, request(at, length)?);
            let Wish { columns, filters, .. } = columns_and_filters(&request)?;
            let reading = Reading::open_file(request.text(0)?, &columns, &filters, cancel.as_ref().clone())?;
            give_schema(reading.schema(), schema)?;
            Ok(Reply::value(handle(reading)))
        }
    }

    /// Writes the next batch to `array`, as a struct; answers its bytes, or -1 after the last one.
    fn bowshot_spark_next, Java_io_bowshot_spark_Native_next(reading: i64, array: i64) {
        // SAFETY: the caller keeps the reading.
        #[expect(unsafe_code, reason = "the caller's handle")]
        let reading = unsafe { borrow::<Reading>(reading)? };
        let Some(batch) = reading.next()? else { return Ok(Reply::value(-1)) };
        let bytes = i64::try_from(bytes_of(&batch)).unwrap_or(i64::MAX);
        // SAFETY: the caller has room for an ArrowArray.
        #[expect(unsafe_code, reason = "the caller's memory")]
        unsafe { give_batch(batch, array)? };
        Ok(Reply::value(bytes))
    }

    /// Lets go of a reading; what it has not read is cancelled.
    fn bowshot_spark_close_reading, Java_io_bowshot_spark_Native_closeReading(reading: i64) {
        // SAFETY: the caller closes it once.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { close::<Reading>(reading) };
        Ok(Reply::default())
    }

    /// Releases the batch at `array`, as its own release callback does.
    fn bowshot_spark_release_array, Java_io_bowshot_spark_Native_releaseArray(array: i64) {
        // SAFETY: `give_batch` wrote it, and the caller releases it once.
        #[expect(unsafe_code, reason = "the caller's memory")]
        drop(unsafe { pointer::<FFI_ArrowArray>(array)?.read() });
        Ok(Reply::default())
    }

    /// Releases the columns at `schema`.
    fn bowshot_spark_release_schema, Java_io_bowshot_spark_Native_releaseSchema(schema: i64) {
        // SAFETY: `give_schema` wrote them, and the caller releases them once.
        #[expect(unsafe_code, reason = "the caller's memory")]
        drop(unsafe { pointer::<FFI_ArrowSchema>(schema)?.read() });
        Ok(Reply::default())
    }
}

/// Takes back the bytes of an answer.
///
/// # Safety
/// They are those of an answer of this library, and freed once; the first two pointers are the JVM's.
#[expect(unsafe_code, reason = "called by the JVM, which finds it by this name")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_bowshot_spark_Native_free(
    _environment: *const std::ffi::c_void,
    _class: *const std::ffi::c_void,
    bytes: i64,
    length: i64,
) {
    if let Ok(bytes) = pointer::<u8>(bytes) {
        // SAFETY: the caller keeps the promises that are asked for.
        unsafe { bowshot_border::free(bytes, length) };
    }
}

/// What is asked for, and the address for tasks.
fn asked(request: &Texts) -> Result<(Asked, Address)> {
    let broken = || Error::new(ErrorKind::Internal, "Spark's request makes no sense");
    let parts: usize = request.text(4)?.parse().map_err(|_| broken())?;
    let rest = request.texts_from(5)?;
    let (parts, options) = rest.split_at_checked(parts).ok_or_else(broken)?;
    let pairs: Vec<(&str, &str)> =
        options.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect();
    let given = |place| -> Result<Option<&str>> { Ok(Some(request.text(place)?).filter(|text| !text.is_empty())) };
    let login = Login { user: given(2)?.map(str::to_owned), password: given(3)?.map(Secret::new) };
    let address = login.written_into(request.text(0)?)?;
    let asked = Asked::new(address.expose(), request.text(1)?, &pairs)?;
    Ok((if parts.is_empty() { asked } else { asked.of_table(parts)? }, address))
}

fn look(request: &Texts) -> Result<(Look, Texts)> {
    let (asked, address) = asked(request)?;
    let looked = asked.look()?;
    let mut texts = Texts::default();
    texts.push(asked.scheme());
    texts.push(looked.is_table.to_string());
    texts.push(number(looked.estimate.rows));
    texts.push(number(looked.estimate.bytes));
    texts.push(&looked.reason);
    texts.push(address.expose());
    texts.push(address.to_string());
    texts.push(looked.has_facts.to_string());
    Ok((Look { asked, looked }, texts))
}

fn wish(request: &Texts) -> Result<Wish> {
    let broken = || Error::new(ErrorKind::Internal, "Spark's request makes no sense");
    let limit = match request.text(0)? {
        "" => None,
        limit => Some(limit.parse().map_err(|_| broken())?),
    };
    Ok(Wish { limit, ..columns_and_filters(request)? })
}

/// From the second text on: how many columns follow, these, and filters.
fn columns_and_filters(request: &Texts) -> Result<Wish> {
    let broken = || Error::new(ErrorKind::Internal, "Spark's request makes no sense");
    let count: usize = request.text(1)?.parse().map_err(|_| broken())?;
    let mut place = count.checked_add(2).ok_or_else(broken)?;
    let columns = (2..place).map(|place| request.text(place).map(str::to_owned)).collect::<Result<_>>()?;
    Ok(Wish { columns, filters: Filter::read_all(request, &mut place)?, limit: None })
}

fn plan_texts(planned: &Planned) -> Result<Texts> {
    let mut texts = Texts::from([planned.reason.as_str(), planned.snapshot.as_deref().unwrap_or_default()]);
    for (partition, ticket) in planned.partitions.iter().zip(planned.tickets()?) {
        texts.push(&partition.label);
        texts.push(number(partition.rows));
        texts.push(ticket);
    }
    Ok(texts)
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn pointer<T>(address: i64) -> Result<*mut T> {
    match usize::try_from(address) {
        Ok(address) if address != 0 => Ok(std::ptr::with_exposed_provenance_mut(address)),
        _ => Err(Error::new(ErrorKind::Internal, "an address of the JVM's is none")),
    }
}

/// # Safety
/// An ArrowSchema can be written there.
#[expect(unsafe_code, reason = "the caller's memory")]
unsafe fn give_schema(schema: &Schema, to: i64) -> Result<()> {
    let schema = FFI_ArrowSchema::try_from(schema)
        .map_err(|error| Error::new(ErrorKind::Unsupported, format!("the columns cannot be handed over: {error}")))?;
    // SAFETY: the caller has room.
    unsafe { pointer::<FFI_ArrowSchema>(to)?.write_unaligned(schema) };
    Ok(())
}

/// # Safety
/// An ArrowArray can be written there.
#[expect(unsafe_code, reason = "the caller's memory")]
unsafe fn give_batch(batch: RecordBatch, to: i64) -> Result<()> {
    let rows = batch.num_rows();
    let (schema, columns, _) = batch.into_parts();
    let array = StructArray::try_new_with_length(schema.fields().clone(), columns, None, rows)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("a batch is no struct: {error}")))?;
    let array = FFI_ArrowArray::new(&array.to_data());
    // SAFETY: the caller has room.
    unsafe { pointer::<FFI_ArrowArray>(to)?.write_unaligned(array) };
    Ok(())
}
