package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;

/** An amount in whole minor units of a currency: 12.50 EUR are 1250. */
public final class Amount {
    /** The minor units: 0 to 999 999 999 999 999. */
    public final long minor;

    /** Three capital letters (ISO 4217). */
    public final String currency;

    /** Makes an amount. One beyond these bounds fails with {@link Failure#POLICY_DENIES} where it is used. */
    public Amount(long minor, String currency) {
        this.minor = minor;
        this.currency = requireNonNull(currency, "currency");
    }

    static void write(@Nullable Amount amount, Message.Writer to) {
        if (amount == null) {
            to.bytes(null);
        } else {
            to.number(amount.minor).text(amount.currency);
        }
    }

    @Override
    public String toString() {
        return minor + " minor units of " + currency;
    }
}
