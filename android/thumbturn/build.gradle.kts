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

    lint {
        warningsAsErrors = true
        checkReleaseBuilds = true
    }

    publishing { singleVariant("release") { withSourcesJar() } }
}

dependencies {
    // The annotations tell Kotlin and lint what may be null; nothing of them is packaged.
    compileOnly("androidx.annotation:annotation:1.9.1")
    // An app that calls from Java only needs none of it at run time.
    compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core:1.10.2")
}

tasks.withType<JavaCompile>().configureEach { options.compilerArgs.addAll(listOf("-Xlint:all", "-Werror")) }

publishing {
    publications {
        register<MavenPublication>("release") {
            groupId = "com.thumbturn"
            artifactId = "thumbturn"
            afterEvaluate { from(components["release"]) }
        }
    }
}
