package io.bowshot.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Has programs that know nothing of Bowshot read Parquet through it: {@code spark.sql.extensions=io.bowshot.spark.DropIn}. With
 * {@code spark.bowshot.dropin=false} a session reads as if it were not there.
 *
 * <p>Spark before 4.0 has another Scala: there it only says so. What is bound to Scala 2.13 is in other classes, which are not loaded then.
 */
public final class DropIn extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    static final Logger LOG = LoggerFactory.getLogger(DropIn.class);

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
        if (Integer.parseInt(version.substring(0, version.indexOf('.'))) < 4) {
            LOG.warn(
                    "Bowshot reads Parquet for programs that stay as they are from Spark 4.0 on; Spark {} reads by itself",
                    version);
        } else {
            DropInRule.injectInto(extensions);
        }
        return BoxedUnit.UNIT;
    }
}
