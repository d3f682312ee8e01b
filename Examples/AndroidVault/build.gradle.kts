// Not run here: this repository is tested without Gradle and without Android's SDK.
plugins {
    id("com.android.application") version "8.11.0"
    id("org.jetbrains.kotlin.android") version "2.1.20"
}

android {
    namespace = "net.thumbturn.example.vault"
    compileSdk = 36

    defaultConfig {
        applicationId = "net.thumbturn.example.vault"
        minSdk = 28
        targetSdk = 36
        versionCode = 1
        versionName = "1"
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }
}

dependencies {
    implementation("com.thumbturn:thumbturn")
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-android:1.10.2")
}
