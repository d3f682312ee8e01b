package com.thumbturn.internal;

import android.content.Context;
import android.hardware.biometrics.BiometricManager.Authenticators;
import android.hardware.biometrics.BiometricPrompt;
import android.os.Build;
import androidx.annotation.RequiresApi;

/**
 * What the system's prompt must be told, by rung and API level.
 *
 * <p>Level 29 can also allow the credential beside the biometric ({@code setDeviceCredentialAllowed}), but refuses that with a
 * key, so no row uses it. Levels 28 and 29 have no prompt for the credential alone.
 */
final class PromptForm {
    enum Rung {
        BIOMETRIC,
        CREDENTIAL
    }

    /** One row; from and to are API levels, both included. */
    static final class Row {
        final int from;
        final int to;
        final Rung rung;
        final boolean offered;
        final boolean negativeButton;
        final boolean tellsConfirmation;
        /** 0 where the level has no such setting. */
        final int authenticators;

        private Row(int from, int to, Rung rung, boolean offered, boolean negative, boolean confirmation, int authenticators) {
            this.from = from;
            this.to = to;
            this.rung = rung;
            this.offered = offered;
            this.negativeButton = negative;
            this.tellsConfirmation = confirmation;
            this.authenticators = authenticators;
        }
    }

    private static final int NEWEST = Integer.MAX_VALUE;

    //       levels         rung           offered  negative  confirmation  authenticators
    static final Row[] ROWS = {
        new Row(28, 28,     Rung.BIOMETRIC,  true,    true,     false,        0),
        new Row(29, 29,     Rung.BIOMETRIC,  true,    true,     true,         0),
        new Row(30, NEWEST, Rung.BIOMETRIC,  true,    true,     true,         Authenticators.BIOMETRIC_STRONG),
        new Row(28, 29,     Rung.CREDENTIAL, false,   false,    false,        0),
        new Row(30, NEWEST, Rung.CREDENTIAL, true,    false,    true,         Authenticators.DEVICE_CREDENTIAL),
    };

    private PromptForm() {}

    static Row row(Rung rung, int level) {
        for (Row row : ROWS) {
            if (row.rung == rung && row.from <= level && level <= row.to) {
                return row;
            }
        }
        throw new IllegalArgumentException("no row for level " + level);
    }

    /** Builds the prompt; throws where the level offers none for this rung. */
    static BiometricPrompt build(Context context, PromptRequest request, Prompt prompt) {
        Row row = row(request.rung, Build.VERSION.SDK_INT);
        if (!row.offered) {
            throw new UnsupportedOperationException("this level has no prompt for the device credential alone");
        }
        BiometricPrompt.Builder builder = new BiometricPrompt.Builder(context).setTitle(request.title);
        if (request.reason != null) {
            builder.setDescription(request.reason);
        }
        if (row.negativeButton) {
            builder.setNegativeButton(request.negative, context.getMainExecutor(), prompt);
        }
        if (row.tellsConfirmation) {
            confirmation(builder, request.confirmation);
        }
        if (row.authenticators != 0) {
            authenticators(builder, row.authenticators);
        }
        return builder.build();
    }

    @RequiresApi(29)
    private static void confirmation(BiometricPrompt.Builder builder, boolean required) {
        builder.setConfirmationRequired(required);
    }

    @RequiresApi(30)
    private static void authenticators(BiometricPrompt.Builder builder, int allowed) {
        builder.setAllowedAuthenticators(allowed);
    }
}
