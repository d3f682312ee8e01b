package com.thumbturn.internal;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The calls from Java into Swift that wait for their last answer. */
final class Calls {
    private final Map<Long, Bridge.Receiver> waiting = new ConcurrentHashMap<>();
    private final AtomicLong lastID = new AtomicLong();

    /** Calls Swift, which copies the request, and returns the call's id, a negative number. */
    long start(SwiftSide swift, int operation, Message.Writer request, Bridge.Receiver receiver) {
        long id = lastID.decrementAndGet();
        waiting.put(id, receiver);
        byte[] message = request.toBytes();
        request.wipe();
        try {
            swift.call(id, operation, message);
        } finally {
            Arrays.fill(message, (byte) 0);
        }
        return id;
    }

    /** Hands an answer to the call that waits for it; one for a call that has ended is dropped. */
    void answered(long id, byte[] message) {
        Message.Reader fields = new Message.Reader(message);
        int kind = fields.number(Answer.DONE, Answer.NEWS);
        Bridge.Receiver receiver = kind == Answer.NEWS ? waiting.get(id) : waiting.remove(id);
        if (receiver == null) {
            fields.wipe();
        } else {
            receiver.received(kind, fields);
        }
    }
}
