package io.bowshot.spark;

import io.bowshot.border.Answer;
import io.bowshot.border.Texts;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;

/** A plan on the driver: its tickets, and the snapshot that it keeps for them until it is closed or nobody knows of it any more. */
final class HeldPlan {
    private final long handle;
    private final String reason;
    private final List<byte[]> tickets = new ArrayList<>();
    private final Cleaner.Cleanable closing;

    private HeldPlan(Answer answer) {
        handle = answer.value();
        reason = answer.text(0);
        for (int place = 2; place + 2 < answer.size(); place += 3) {
            tickets.add(answer.bytes(place + 2));
        }
        long plan = handle;
        closing = Look.CLEANER.register(this, () -> Native.answer(at -> Native.closePlan(at, plan)));
    }

    /** Plans what was looked at. */
    static HeldPlan of(Look look, Texts wish) {
        return new HeldPlan(Native.answer(wish, (at, bytes, length) -> Native.plan(at, look.handle(), bytes, length)));
    }

    int count() {
        return tickets.size();
    }

    byte[] ticket(int index) {
        return tickets.get(index);
    }

    /** Whether its tickets can still be read. */
    boolean isAlive() {
        return Native.answer(at -> Native.isAlive(at, handle)).value() != 0;
    }

    String described() {
        String partitions = count() == 1 ? "1 partition" : count() + " partitions";
        return partitions + " because " + reason;
    }

    void close() {
        closing.clean();
    }
}
