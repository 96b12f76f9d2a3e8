-- The guards of the data, from the catalogue: a row for each guard, with the text of its definition. PostgreSQL itself
-- prints the expressions, in forms that versions 15 to 18 share: so no NOT NULL constraints (the column has it) and no
-- privileges that only newer versions know. Partitions inherit from their table, and have none of their own. Objects of
-- extensions are left out.

-- part: ours
WITH tables AS (
    SELECT n.nspname || '.' || c.relname AS name, c.*
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('public', 'app', 'jobs') AND c.relkind IN ('r', 'p', 'v', 'S') AND NOT c.relispartition
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
), functions AS (
    SELECT format('%s.%s(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS name, p.*
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname IN ('public', 'app', 'jobs') AND p.prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
), acls AS (
    SELECT name, 'table' AS on_a, aclexplode(coalesce(relacl, acldefault('r', relowner))) AS acl FROM tables
    WHERE relkind <> 'S'
    UNION ALL
    SELECT name, 'sequence', aclexplode(coalesce(relacl, acldefault('S', relowner))) FROM tables WHERE relkind = 'S'
    UNION ALL
    SELECT t.name || '.' || a.attname, 'column', aclexplode(a.attacl)
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND NOT a.attisdropped
    UNION ALL
    SELECT name, 'function', aclexplode(coalesce(proacl, acldefault('f', proowner))) FROM functions
    UNION ALL
    SELECT nspname, 'schema', aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
    FROM pg_namespace WHERE nspname IN ('app', 'jobs')
)

-- part: every_table
(SELECT n.nspname || '.' || c.relname AS name, c.*
 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('public', 'app', 'jobs') AND c.relkind IN ('r', 'p', 'v')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))

-- name: guards
{ours}
SELECT 'row security' AS kind, name,
       format('enabled %s, forced %s', relrowsecurity, relforcerowsecurity) AS text
FROM tables WHERE relkind IN ('r', 'p')
UNION ALL
SELECT 'policy', p.polname || ' on ' || t.name,
       format('%s %s to %s using (%s) with check (%s)', p.polcmd,
              CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END,
              (SELECT string_agg(coalesce(r.rolname, 'PUBLIC'), ', ' ORDER BY r.rolname)
               FROM unnest(p.polroles) AS u (role) LEFT JOIN pg_roles r ON r.oid = u.role),
              pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
FROM pg_policy p JOIN tables t ON t.oid = p.polrelid
UNION ALL
SELECT 'trigger', g.tgname || ' on ' || t.name, pg_get_triggerdef(g.oid)
FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal AND g.tgparentid = 0
UNION ALL
-- Without redundant parentheses: a restored database has others.
SELECT 'constraint', c.conname || ' on ' || t.name, pg_get_constraintdef(c.oid, true)
FROM pg_constraint c JOIN tables t ON t.oid = c.conrelid
WHERE c.contype IN ('c', 'f', 'p', 'u', 'x') AND c.conparentid = 0
UNION ALL
SELECT 'unique index', i.indexrelid::regclass::text || ' on ' || t.name, pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN tables t ON t.oid = i.indrelid WHERE i.indisunique
UNION ALL
SELECT 'view options', name, coalesce(array_to_string(reloptions, ', '), '') FROM tables WHERE relkind = 'v'
UNION ALL
-- Versions before 16 qualify each column with its table, newer ones only where there are several tables: the text is
-- compared without the qualifiers, and the columns that the view depends on are listed beside it.
SELECT 'view', t.name,
       regexp_replace(pg_get_viewdef(t.oid), '\m[a-z_]+\.', '', 'g') || ' of ' || (
           SELECT string_agg(i.identity, ', ' ORDER BY i.identity)
           FROM pg_rewrite r
           JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refobjid <> t.oid
           CROSS JOIN LATERAL pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) i
           WHERE r.ev_class = t.oid AND r.rulename = '_RETURN')
FROM tables t WHERE t.relkind = 'v'
UNION ALL
SELECT 'rule', r.rulename || ' on ' || t.name, pg_get_ruledef(r.oid)
FROM pg_rewrite r JOIN {every_table} t ON t.oid = r.ev_class WHERE r.rulename <> '_RETURN'
UNION ALL
SELECT 'columns', t.name,
       string_agg(format('%s %s%s%s %s', a.attname, format_type(a.atttypid, a.atttypmod),
                         CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, concat(a.attgenerated, a.attidentity),
                         pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attname)
FROM tables t
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
WHERE t.relkind <> 'S'
GROUP BY t.name
UNION ALL
SELECT 'function', f.name,
       format('%s %s %s %s %s %s %s %s', pg_get_function_arguments(f.oid), pg_get_function_result(f.oid), l.lanname,
              f.provolatile, CASE WHEN f.prosecdef THEN 'definer' ELSE 'invoker' END, f.proleakproof, f.proconfig,
              coalesce(pg_get_function_sqlbody(f.oid), regexp_replace(f.prosrc, '--[^\n]*', '', 'g')))
FROM functions f JOIN pg_language l ON l.oid = f.prolang
UNION ALL
SELECT 'grant', format('%s on %s %s', coalesce(r.rolname, 'PUBLIC'), a.on_a, a.name),
       string_agg((a.acl).privilege_type || CASE WHEN (a.acl).is_grantable THEN ' with grant option' ELSE '' END,
                  ', ' ORDER BY (a.acl).privilege_type)
FROM acls a LEFT JOIN pg_roles r ON r.oid = (a.acl).grantee
WHERE ((a.acl).grantee = 0 OR r.rolname = ANY ($1)) AND (a.acl).privilege_type <> 'MAINTAIN'
GROUP BY a.on_a, a.name, r.rolname
ORDER BY 1, 2;

-- name: switched_off
-- Guards that exist but have no effect. The triggers of partitions are included.
SELECT format('trigger %s on %s is switched off', g.tgname, g.tgrelid::regclass) AS sentence
FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('public', 'app', 'jobs') AND g.tgenabled NOT IN ('O', 'A')
UNION ALL
SELECT format('unique index %s is not valid', indexrelid::regclass) FROM pg_index WHERE indisunique AND NOT indisvalid
UNION ALL
-- A partition without forced row security: accessed by its own name, its own policies apply and not its table's.
SELECT format('partition %s does not force row security', name) FROM {every_table} t
WHERE relispartition AND NOT (relrowsecurity AND relforcerowsecurity)
UNION ALL
SELECT format('policy %s on partition %s is not shipped: somebody has added it', p.polname, t.name)
FROM pg_policy p JOIN {every_table} t ON t.oid = p.polrelid WHERE t.relispartition
UNION ALL
SELECT format('trigger %s on partition %s is not shipped: somebody has added it', g.tgname, t.name)
FROM pg_trigger g JOIN {every_table} t ON t.oid = g.tgrelid
WHERE t.relispartition AND NOT g.tgisinternal AND g.tgparentid = 0
UNION ALL
SELECT format('grant %s on partition %s is not shipped: somebody has added it', coalesce(r.rolname, 'PUBLIC'), a.name)
FROM (SELECT name, aclexplode(relacl) AS acl FROM {every_table} t WHERE relispartition
      UNION ALL
      SELECT t.name || '.' || c.attname, aclexplode(c.attacl)
      FROM {every_table} t JOIN pg_attribute c ON c.attrelid = t.oid AND NOT c.attisdropped WHERE t.relispartition) a
LEFT JOIN pg_roles r ON r.oid = (a.acl).grantee
WHERE (a.acl).grantee = 0 OR r.rolname = ANY ($1)
GROUP BY a.name, r.rolname
UNION ALL
SELECT format('app.clock() is %s away from now()', app.clock() - now()) WHERE app.clock() <> now()
ORDER BY 1;
