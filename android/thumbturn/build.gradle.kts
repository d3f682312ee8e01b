plugins {
    id("com.android.library")
    id("org.jetbrains.kotlin.android")
    id("maven-publish")
}

android {
    namespace = "com.thumbturn"
    compileSdk = 36

    defaultConfig {
        minSdk = 28
        consumerProguardFiles("consumer-rules.pro")
        // The Swift library is built for these (scripts/android-aar puts it into src/main/jniLibs).
        ndk { abiFilters += listOf("arm64-v8a", "armeabi-v7a", "x86_64") }
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }

    // An error of lint ends the build. Its warnings do not: it has never run here, so nothing is known of them.
    lint { checkReleaseBuilds = true }

    publishing { singleVariant("release") { withSourcesJar() } }
}

dependencies {
    // The annotations tell Kotlin and lint what may be null, and lint from which level on a method may be called; nothing of
    // them is packaged.
    compileOnly("androidx.annotation:annotation:1.9.1")
    // An app that calls from Java only needs none of it at run time.
    compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core:1.10.2")
}

// Without -Werror, which android/build.sh has: the real classes may be deprecated where our stand-ins are not.
tasks.withType<JavaCompile>().configureEach { options.compilerArgs.add("-Xlint:all") }

publishing {
    publications {
        register<MavenPublication>("release") {
            groupId = "com.thumbturn"
            artifactId = "thumbturn"
            afterEvaluate { from(components["release"]) }
        }
    }
}
