package com.thumbturn.internal;

import android.content.ActivityNotFoundException;
import android.content.Context;
import android.content.Intent;
import android.hardware.biometrics.BiometricManager.Authenticators;
import android.os.Build;
import android.provider.Settings;
import androidx.annotation.RequiresApi;

/** Opens the system's settings where a person enrols a finger or sets a screen lock. */
public final class SettingsScreen {
    private SettingsScreen() {}

    /** Opens where a face or finger is enrolled; false where this phone has no such screen. */
    public static boolean openEnrolment(Context context) {
        return open(context, Build.VERSION.SDK_INT >= 30 ? biometricEnrolment() : fingerprintEnrolment());
    }

    /** Opens the security settings; false where this phone has no such screen. */
    public static boolean openSecurity(Context context) {
        return open(context, new Intent(Settings.ACTION_SECURITY_SETTINGS));
    }

    private static boolean open(Context context, Intent intent) {
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        try {
            context.startActivity(intent);
            return true;
        } catch (ActivityNotFoundException absent) {
            return false;
        }
    }

    @RequiresApi(30)
    private static Intent biometricEnrolment() {
        return new Intent(Settings.ACTION_BIOMETRIC_ENROLL)
                .putExtra(Settings.EXTRA_BIOMETRIC_AUTHENTICATORS_ALLOWED, Authenticators.BIOMETRIC_STRONG);
    }

    @SuppressWarnings("deprecation") // The only one before level 30.
    private static Intent fingerprintEnrolment() {
        return new Intent(Settings.ACTION_FINGERPRINT_ENROLL);
    }
}
