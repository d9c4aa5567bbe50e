//! A query as partitions that other processes read: tickets, and what keeps their snapshot alive.

use adbc_core::PartitionedResult;
use bowshot_core::{Cancel, Holder, Lease, Options, Partitioning, Plan, Request, Result, Source};

/// The partitions of a query, and what must live until they are read.
pub(crate) struct Partitions {
    pub(crate) result: PartitionedResult,
    pub(crate) holder: Holder,
}

/// Plans a request for readers elsewhere. Where its partitions cannot be read elsewhere and nobody asked for several, there is one, which
/// executes the whole query where it is read.
pub(crate) fn partitions(
    source: &dyn Source,
    mut request: Request,
    lease: Lease,
    cancel: &Cancel,
) -> Result<Partitions> {
    request.options.partition_bytes.get_or_insert(Options::PARTITION_BYTES_OF_TASKS);
    let mut plan = source.plan(&request, cancel)?;
    if let Err(reason) = plan.travels(&request.options) {
        let asked = request.options.connections.is_some() || request.options.partitioning != Partitioning::Auto;
        if asked || request.queries.len() > 1 {
            return Err(reason);
        }
        request.options.partitioning = Partitioning::Single;
        plan = source.plan(&request, cancel)?;
    }
    write_down(&plan, &request, lease, cancel)
}

fn write_down(plan: &Plan, request: &Request, lease: Lease, cancel: &Cancel) -> Result<Partitions> {
    let holder = Holder::new(plan, request, lease, cancel)?;
    let tickets = holder.tickets()?;
    let partitions = tickets.iter().map(|ticket| ticket.to_bytes()).collect::<Result<_>>()?;
    let result = PartitionedResult { partitions, schema: plan.schema.as_ref().clone(), rows_affected: -1 };
    Ok(Partitions { result, holder })
}
