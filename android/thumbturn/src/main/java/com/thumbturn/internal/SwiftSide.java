package com.thumbturn.internal;

/** What Java may call in Swift; tests put a receiver of their own in its place. */
interface SwiftSide {
    /** Answers an operation that Swift began. */
    void answer(long id, byte[] message);

    /** Begins an operation in Swift; it answers by {@link Bridge#begin} with operation 0. */
    void call(long id, int operation, byte[] request);
}
