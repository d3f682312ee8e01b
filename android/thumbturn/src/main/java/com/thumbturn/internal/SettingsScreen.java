package com.thumbturn.internal;

import android.content.ActivityNotFoundException;
import android.content.Context;
import android.content.Intent;
import android.hardware.biometrics.BiometricManager.Authenticators;
import android.os.Build;
import android.provider.Settings;

/** Opens the system's settings where a person enrols a finger or sets a screen lock. */
final class SettingsScreen {
    static final int BIOMETRIC_ENROLMENT = 1;
    static final int SECURITY = 2;

    private SettingsScreen() {}

    /** Starts the activity; false where this phone has none for it. */
    static boolean open(Context context, int which) {
        Intent intent;
        if (which == SECURITY) {
            intent = new Intent(Settings.ACTION_SECURITY_SETTINGS);
        } else if (Build.VERSION.SDK_INT >= 30) {
            intent = biometricEnrolment();
        } else {
            intent = fingerprintEnrolment();
        }
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        try {
            context.startActivity(intent);
            return true;
        } catch (ActivityNotFoundException absent) {
            return false;
        }
    }

    @FromLevel(30)
    private static Intent biometricEnrolment() {
        return new Intent(Settings.ACTION_BIOMETRIC_ENROLL)
                .putExtra(Settings.EXTRA_BIOMETRIC_AUTHENTICATORS_ALLOWED, Authenticators.BIOMETRIC_STRONG);
    }

    @SuppressWarnings("deprecation") // The only one before level 30.
    private static Intent fingerprintEnrolment() {
        return new Intent(Settings.ACTION_FINGERPRINT_ENROLL);
    }
}
