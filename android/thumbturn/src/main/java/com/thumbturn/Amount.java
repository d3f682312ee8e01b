package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;

/** An amount in whole minor units of a currency: 12.50 EUR are 1250. */
public final class Amount {
    /** The minor units, at most 999 999 999 999 999. */
    public final long minor;

    /** Three capital letters (ISO 4217). */
    public final String currency;

    /** Makes an amount. */
    public Amount(long minor, String currency) {
        if (minor < 0 || minor > 999_999_999_999_999L || !currency.matches("[A-Z]{3}")) {
            throw new IllegalArgumentException("an amount has 0 to 15 digits and a currency of three capital letters");
        }
        this.minor = minor;
        this.currency = currency;
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
