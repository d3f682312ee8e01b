package com.thumbturn.fake;

import android.app.ActivityManager;
import android.app.Application;
import android.app.KeyguardManager;
import android.content.ActivityNotFoundException;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.hardware.biometrics.BiometricManager;
import android.os.UserManager;
import android.view.accessibility.AccessibilityManager;
import java.io.File;
import java.util.concurrent.Executor;

/** The app's context. */
public final class FakeApplication extends Application {
    @Override
    public Context getApplicationContext() {
        return this;
    }

    @Override
    public Executor getMainExecutor() {
        return FakeAndroid.now().main::post;
    }

    @Override
    public File getNoBackupFilesDir() {
        return new File(System.getProperty("java.io.tmpdir"), "no_backup");
    }

    @Override
    public PackageManager getPackageManager() {
        return new PackageManager() {
            @Override
            public boolean hasSystemFeature(String name) {
                return FakeAndroid.now().features.contains(name);
            }
        };
    }

    @Override
    public String getPackageName() {
        return "com.example.bank";
    }

    @Override
    public String getSystemServiceName(Class<?> type) {
        return type.getName();
    }

    /** Null for a service that the level or the phone lacks, as on a phone. */
    @Override
    public Object getSystemService(String name) {
        FakeAndroid android = FakeAndroid.now();
        return switch (name) {
            case "android.hardware.biometrics.BiometricManager" ->
                    FakeAndroid.level() < 29 ? null : Hidden.make(BiometricManager.class);
            case "android.hardware.fingerprint.FingerprintManager" ->
                    android.features.contains(PackageManager.FEATURE_FINGERPRINT) ? Hidden.make(fingerprintManager()) : null;
            case "android.app.KeyguardManager" -> Hidden.make(KeyguardManager.class);
            case "android.app.ActivityManager" -> Hidden.make(ActivityManager.class);
            case "android.os.UserManager" -> Hidden.make(UserManager.class);
            case "android.view.accessibility.AccessibilityManager" -> Hidden.make(AccessibilityManager.class);
            default -> null;
        };
    }

    @SuppressWarnings("deprecation")
    private static Class<?> fingerprintManager() {
        return android.hardware.fingerprint.FingerprintManager.class;
    }

    @Override
    public void startActivity(Intent intent) {
        if (FakeAndroid.now().absentActivities.contains(intent.getAction())) {
            throw new ActivityNotFoundException();
        }
        FakeAndroid.now().started.add(intent);
    }
}
