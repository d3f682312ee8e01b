package com.thumbturn.internal;

import java.util.ArrayList;
import java.util.List;

/** One answer as Swift receives it. */
final class Reply {
    final int kind;
    final Message.Reader fields;

    Reply(byte[] message) {
        fields = new Message.Reader(message);
        kind = fields.number(0, 2);
    }

    Message.Reader done() {
        if (kind != Answer.DONE) {
            throw new AssertionError("expected done, found " + (kind == Answer.THREW ? "threw " + classes() : "news"));
        }
        return fields;
    }

    Message.Reader news() {
        if (kind != Answer.NEWS) {
            throw new AssertionError("expected news, found kind " + kind);
        }
        return fields;
    }

    /** The classes of the exception and its causes. */
    List<String> classes() {
        List<String> classes = new ArrayList<>();
        for (Cause cause : causes()) {
            classes.add(cause.type);
        }
        return classes;
    }

    List<Cause> causes() {
        if (kind != Answer.THREW) {
            throw new AssertionError("expected threw, found kind " + kind);
        }
        List<Cause> causes = new ArrayList<>();
        for (long left = fields.number(); left > 0; left--) {
            causes.add(new Cause(fields.text(), fields.number(), fields.flag()));
        }
        fields.end();
        return causes;
    }

    /** One exception of a chain. */
    record Cause(String type, long code, boolean isTransient) {}
}
