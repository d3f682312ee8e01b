package com.thumbturn.internal;

import android.app.KeyguardManager;
import android.content.Context;
import android.content.pm.PackageManager;
import android.hardware.biometrics.BiometricManager;
import android.hardware.biometrics.BiometricManager.Authenticators;
import android.os.Build;
import android.os.SystemClock;
import android.os.UserManager;
import android.view.accessibility.AccessibilityManager;
import androidx.annotation.RequiresApi;
import java.util.Locale;

/** What this phone, its sensor and its lock screen say of themselves, without a prompt. */
final class Facts {
    private Facts() {}

    static Message.Writer read(Context context) {
        Message.Writer facts = new Message.Writer()
                .number(Build.VERSION.SDK_INT)
                .text(Build.MANUFACTURER)
                .text(Build.MODEL)
                .text(Build.VERSION.RELEASE)
                .text(Build.VERSION.SECURITY_PATCH);
        if (Build.VERSION.SDK_INT >= 30) {
            biometrics(context, facts);
        } else if (Build.VERSION.SDK_INT >= 29) {
            biometricsOfLevel29(context, facts);
        } else {
            biometricsOfLevel28(context, facts);
        }
        KeyguardManager keyguard = context.getSystemService(KeyguardManager.class);
        PackageManager packages = context.getPackageManager();
        return facts.flag(keyguard.isDeviceSecure())
                .flag(keyguard.isDeviceLocked())
                .flag(context.getSystemService(UserManager.class).isUserUnlocked())
                .flag(packages.hasSystemFeature(PackageManager.FEATURE_FINGERPRINT))
                .flag(packages.hasSystemFeature(PackageManager.FEATURE_FACE))
                .flag(packages.hasSystemFeature(PackageManager.FEATURE_IRIS))
                .text(context.getPackageName())
                .text(context.getNoBackupFilesDir().getAbsolutePath())
                .text(Locale.getDefault().toLanguageTag())
                .flag(context.getSystemService(AccessibilityManager.class).isTouchExplorationEnabled())
                .number(SystemClock.elapsedRealtime());
    }

    @RequiresApi(30)
    private static void biometrics(Context context, Message.Writer facts) {
        BiometricManager biometrics = context.getSystemService(BiometricManager.class);
        int[] questions = {
            Authenticators.BIOMETRIC_STRONG, Authenticators.BIOMETRIC_WEAK, Authenticators.DEVICE_CREDENTIAL
        };
        for (int question : questions) {
            facts.numberOrNull(biometrics == null ? null : biometrics.canAuthenticate(question));
        }
        facts.flagOrNull(null).flagOrNull(null);
    }

    /** Level 29 has one question for all classes of sensors. */
    @RequiresApi(29)
    @SuppressWarnings("deprecation")
    private static void biometricsOfLevel29(Context context, Message.Writer facts) {
        BiometricManager biometrics = context.getSystemService(BiometricManager.class);
        facts.numberOrNull(biometrics == null ? null : biometrics.canAuthenticate());
        facts.numberOrNull(null).numberOrNull(null).flagOrNull(null).flagOrNull(null);
    }

    /** Level 28 answers for fingerprints only; the manager is absent where there is no reader. */
    @SuppressWarnings("deprecation")
    private static void biometricsOfLevel28(Context context, Message.Writer facts) {
        android.hardware.fingerprint.FingerprintManager fingerprints =
                context.getSystemService(android.hardware.fingerprint.FingerprintManager.class);
        facts.numberOrNull(null).numberOrNull(null).numberOrNull(null);
        facts.flagOrNull(fingerprints == null ? null : fingerprints.isHardwareDetected());
        facts.flagOrNull(fingerprints == null ? null : fingerprints.hasEnrolledFingerprints());
    }
}
